import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { customerFieldsQuery, customerQuery, customerRequestsQuery, lastActivityQuery, openByCustomerQuery, satisfactionByCustomerQuery } from "../../data/customer";
import { customersQuery } from "../../data/customers";
import { meQuery } from "../../data/me";
import { frameRoute } from "../../frame/root";
import { withTexts } from "../../texts";

export type CustomersSearch = { query?: string | undefined; sort?: string | undefined };

export const customersRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/customers",
  validateSearch: (search: Record<string, unknown>): CustomersSearch => ({
    ...(typeof search.query === "string" && { query: search.query }),
    ...(typeof search.sort === "string" && { sort: search.sort }),
  }),
  loader: ({ context: { client } }) => {
    void client.prefetchQuery(customersQuery);
    // Without a chat profile, figures are refused.
    void client.ensureQueryData(meQuery).then(
      (me) => {
        if (!me.user) return;
        void client.prefetchQuery(openByCustomerQuery);
        void client.prefetchQuery(satisfactionByCustomerQuery);
      },
      () => {}, // the frame tells
    );
    void client.prefetchQuery(lastActivityQuery);
  },
  component: lazyRouteComponent(() => withTexts("reports", import("./Customers")), "Customers"),
});

export const customerRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/customers/$id",
  loader: ({ context: { client }, params }) => {
    const id = Number(params.id);
    if (!Number.isSafeInteger(id)) return;
    void client.prefetchQuery(customerQuery(id));
    void client.prefetchQuery(customerFieldsQuery);
    void client.prefetchQuery(customerRequestsQuery(id, "open"));
    void client.prefetchQuery(customerRequestsQuery(id, "all"));
  },
  component: lazyRouteComponent(() => withTexts("reports", import("./Customer")), "Customer"),
});
