import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { frameRoute } from "../../frame/root";

export const customersRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/customers",
  component: lazyRouteComponent(() => import("./Customers"), "Customers"),
});

export const customerRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: "/customers/$id",
  component: lazyRouteComponent(() => import("./Customer"), "Customer"),
});
