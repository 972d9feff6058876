import { t } from "@lingui/core/macro";
import { type CSSVariablesResolver, type MantineColorsTuple, createTheme } from "@mantine/core";

// The one accent. Everything that is not an action, a state or a warning is grey.
const accent: MantineColorsTuple = ["#eef2ff", "#dfe5fd", "#bcc8f8", "#97a9f3", "#778eef", "#506de2", "#4a66d9", "#4561d2", "#3b56bc", "#2e4aa6"];

// The greys of theme.css's dark colours, for what Mantine draws of its own.
const dark: MantineColorsTuple = ["#e4e7ec", "#c3c8d1", "#99a1ad", "#717986", "#3a3f49", "#2c3038", "#1d2026", "#16181d", "#111317", "#0c0d10"];

// Dialogs disappear immediately when closed. During a transition they would still take the keys meant for the page.
const opening = { duration: 120, exitDuration: 0 };

// A list of options scrolls by itself: a scrolling box around it would have to take the focus of its own.
const optionsScroll = { withScrollArea: false, styles: { options: { maxHeight: 250, overflowY: "auto" as const } } };

/** How everything looks. A function, since Mantine has labels of its own, and they are texts. */
export const theme = () =>
  createTheme({
    primaryColor: "accent",
    primaryShade: { light: 7, dark: 5 },
    colors: { accent, dark },
    autoContrast: true,
    fontFamily: '"Inter Variable", "Inter Stand-in", system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", sans-serif',
    fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", "Roboto Mono", "DejaVu Sans Mono", monospace',
    fontSizes: { xs: "0.75rem", sm: "0.8125rem", md: "0.875rem", lg: "1rem", xl: "1.125rem" },
    spacing: { xs: "0.5rem", sm: "0.75rem", md: "1rem", lg: "1.5rem", xl: "2rem" },
    defaultRadius: "sm",
    cursorType: "pointer",
    respectReducedMotion: true,
    headings: { fontWeight: "600", sizes: { h1: { fontSize: "1.25rem" }, h2: { fontSize: "1.0625rem" }, h3: { fontSize: "0.9375rem" } } },
    components: {
      Button: { defaultProps: { size: "xs" } },
      ActionIcon: { defaultProps: { variant: "subtle", color: "gray" } },
      // What people type has the direction of its words.
      Input: { defaultProps: { attributes: { input: { dir: "auto" } } } },
      PillsInputField: { defaultProps: { attributes: { field: { dir: "auto" } } } },
      PasswordInput: { defaultProps: { visibilityToggleButtonProps: { "aria-label": t`Show password` } } },
      TextInput: { defaultProps: { size: "sm" } },
      Autocomplete: { defaultProps: optionsScroll },
      MultiSelect: { defaultProps: optionsScroll },
      TagsInput: { defaultProps: optionsScroll },
      // Options that nobody has opened are not drawn: a request has fields with dozens of them.
      Combobox: { defaultProps: { keepMounted: false } },
      Select: { defaultProps: { size: "sm", comboboxProps: { shadow: "md" }, ...optionsScroll } },
      Tooltip: { defaultProps: { withArrow: true } },
      Modal: {
        defaultProps: {
          centered: true,
          closeButtonProps: { "aria-label": t({ message: "Close", context: "command" }) },
          overlayProps: { backgroundOpacity: 0.4 },
          transitionProps: { ...opening, transition: "fade-down" },
        },
      },
      Drawer: { defaultProps: { closeButtonProps: { "aria-label": t({ message: "Close", context: "command" }) }, transitionProps: opening } },
      // What only holds the focus would be one of its items to a screen reader.
      Menu: { defaultProps: { shadow: "md", withInitialFocusPlaceholder: false, transitionProps: { ...opening, transition: "fade" } } },
    },
  });

// Mantine's own greys give way to those of theme.css, which are dark and light enough to be read.
const ours = {
  "--mantine-color-body": "var(--page)",
  "--mantine-color-text": "var(--text)",
  "--mantine-color-dimmed": "var(--faint)",
  "--mantine-color-placeholder": "var(--faint)",
  "--mantine-color-default": "var(--raised)",
  "--mantine-color-default-hover": "var(--hover)",
  "--mantine-color-default-border": "var(--line)",
  "--mantine-color-error": "var(--bad)",
};

export const variables: CSSVariablesResolver = () => ({ variables: {}, light: ours, dark: ours });
