// What the browser's tab says of what is unread: its title, and a dot on its picture.

const title = document.title;
const picture = () => document.querySelector<HTMLLinkElement>('link[rel="icon"]');

/** Shows in the tab how much is unread. */
export function markTab(unread: number) {
  document.title = unread === 0 ? title : `(${unread > 99 ? "99+" : unread}) ${title}`;
  const icon = picture();
  const wanted = unread === 0 ? "/icon.svg" : "/icon-unread.svg";
  if (icon && icon.getAttribute("href") !== wanted) icon.setAttribute("href", wanted);
}
