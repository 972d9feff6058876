import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { IconPlus } from "@tabler/icons-react";
import { ActionIcon } from "@mantine/core";
import { Outlet } from "@tanstack/react-router";
import { useCallback, useRef } from "react";
import { Keys } from "../../frame/commands";
import { stringifySearch } from "../../frame/address";
import { FoldButton, Split, useIsPhone } from "../../parts/Panes";
import { Bell } from "../../parts/drawings";
import { Empty, Failure } from "../../parts/states";
import { Tip } from "../../parts/Tip";
import { BulkBar, ProgressBar } from "./BulkBar";
import { Chips } from "./Chips";
import { Choices } from "./Choices";
import { MergeDialog, NewRequest, Opened } from "./dialogs";
import { FilterMenu } from "./FilterMenu";
import { toAddress } from "./filters";
import classes from "./Inbox.module.css";
import { List, type Place } from "./List";
import { Nothing } from "./Nothing";
import { OnOpenContext } from "./onOpen";
import { SearchBox } from "./SearchBox";
import { Sidebar, useSidebar } from "./Sidebar";
import { ListSkeleton } from "./skeletons";
import { useInbox } from "./useInbox";
import { ViewMenu } from "./ViewMenu";

/** The list of requests, and beside it the one that is open. */
export function Inbox() {
  const searchBox = useRef<HTMLInputElement>(null);
  const place = useRef<Place>({ address: "", top: 0 });
  const inbox = useInbox(searchBox);
  const isPhone = useIsPhone();
  const [sidebar, , sidebarUsually] = useSidebar();
  const { filters, query, list, rows, open, isOpen, narrow, selection, doing } = inbox;
  const search = useCallback((words: string) => narrow({ ...filters, query: words }), [narrow, filters]);
  const selecting = selection.requests.length > 0;

  const pane = (
    <div className={classes.pane}>
      {/* What can be done with the selection takes the place of the search, so that no row moves. */}
      <div hidden={selecting || doing.progress !== null} className={classes.top}>
        <div className={classes.head}>
          {!sidebar && <FoldButton name="views" label={t`the views`} side="start" usually={sidebarUsually} />}
          <ViewMenu filters={filters} narrow={narrow} />
          <FilterMenu filters={filters} narrow={narrow} />
          {inbox.mayWrite && (
            <Tip
              label={
                <>
                  {t`New request`} <Keys keys="c" />
                </>
              }
            >
              <ActionIcon aria-label={t`New request`} onClick={() => inbox.setMaking(true)}>
                <IconPlus size={16} aria-hidden />
              </ActionIcon>
            </Tip>
          )}
          <FoldButton name="list" label={t`the list`} side="start" />
        </div>
        <SearchBox box={searchBox} query={filters.query ?? ""} search={search} />
      </div>
      {doing.progress ? (
        <ProgressBar progress={doing.progress} dismiss={doing.dismiss} />
      ) : (
        selecting && (
          <BulkBar
            selected={selection.requests.length}
            loaded={rows.length}
            mayWrite={inbox.mayWrite}
            choose={inbox.choose}
            solve={inbox.solve}
            mark={(read) => doing.mark(selection.requests, read)}
            merge={() => inbox.setMerging(true)}
            all={selection.all}
            clear={selection.clear}
          />
        )
      )}
      <Chips filters={filters} narrow={narrow} />
      {list.isPending && !list.isError && <ListSkeleton />}
      {list.isError && !list.data && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.data && rows.length === 0 && <Nothing filters={filters} narrow={narrow} />}
      {rows.length > 0 && (
        <List
          key={stringifySearch(toAddress(filters))}
          rows={rows}
          filters={query}
          address={stringifySearch(toAddress(filters))}
          more={list.hasNextPage}
          loadMore={inbox.loadMore}
          cursor={inbox.cursor}
          open={open}
          chosen={selection.chosen}
          onOpen={inbox.openRow}
          onToggle={selection.toggle}
          onExtend={(id) => selection.extend(id, inbox.cursor.id)}
          fresh={inbox.fresh}
          bring={inbox.bring}
          place={place}
        />
      )}
    </div>
  );
  return (
    <div className={classes.whole}>
      {inbox.folded && !isPhone && (
        <div className={classes.strip}>
          <FoldButton name="list" label={t`the list`} side="start" />
        </div>
      )}
      {sidebar && !inbox.folded && <Sidebar filters={filters} narrow={narrow} />}
      <Split name="list" label={t`the list`} side="start" usual={380} least={280} most={640} phone={isOpen ? "rest" : "pane"} pane={pane}>
        {!isOpen ? (
          <Empty drawing={<Bell />} title={t`No request selected`}>
            <Trans>
              Select one from the list<span className="needs-keyboard">, or use j and k to move through it</span>.
            </Trans>
          </Empty>
        ) : (
          <OnOpenContext value={inbox.onOpen}>
            <Outlet />
          </OnOpenContext>
        )}
      </Split>
      {inbox.choosing && inbox.chooseFor.length > 0 && (
        <Choices
          key={inbox.choosing}
          what={inbox.choosing}
          requests={inbox.chooseFor}
          at={inbox.chooseAt}
          change={(change, did) => doing.change(inbox.chooseFor, change, did)}
          close={() => inbox.choose(null)}
        />
      )}
      <Opened when={inbox.making}>
        <NewRequest opened={inbox.making} close={() => inbox.setMaking(false)} made={inbox.openRow} />
      </Opened>
      <Opened when={inbox.merging}>
        <MergeDialog
          opened={inbox.merging}
          requests={selection.requests}
          close={() => inbox.setMerging(false)}
          refresh={() => void inbox.refresh()}
          done={(into) => {
            inbox.setMerging(false);
            selection.clear();
            inbox.openRow(into);
          }}
        />
      </Opened>
    </div>
  );
}
