/** Light or dark: TensorBoard's choice where it is our parent, else what was chosen here, else the system's. No imports: this runs before anything is painted. */

export type Theme = 'light' | 'dark'

/** The two backgrounds, repeated in theme.css: the page is painted with them before any style sheet has arrived. */
const BACKGROUND: Readonly<Record<Theme, string>> = { light: '#ffffff', dark: '#1e2024' }

/** TensorBoard's window when the page runs in its iframe and may be looked at (same origin), else undefined. */
export function tensorboardWindow(): Window | undefined {
  try {
    if (window.parent === window) return undefined
    return window.parent.document.querySelector('tb-webapp') === null ? undefined : window.parent
  } catch {
    return undefined // another origin
  }
}

/** What was chosen where TensorBoard is not there to choose; the palette writes it. */
export const CHOSEN = 'torch_profile.theme'

function chosenTheme(): Theme | undefined {
  try {
    return (localStorage.getItem(CHOSEN) as Theme | null) ?? undefined
  } catch {
    return undefined // a browser that keeps nothing
  }
}

export function currentTheme(): Theme {
  const parent = tensorboardWindow()
  // The media query inside the iframe follows the system only, so TensorBoard's own switch comes first.
  if (parent !== undefined) return parent.document.body.classList.contains('dark-mode') ? 'dark' : 'light'
  return chosenTheme() ?? systemTheme()
}

export function systemTheme(): Theme {
  return window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

/** Paints the document in the theme of now and returns it. */
export function paintTheme(): Theme {
  const theme = currentTheme()
  const root = document.documentElement
  root.dataset['theme'] = theme
  root.style.colorScheme = theme
  root.style.background = BACKGROUND[theme] // TensorBoard leaves the iframe white in dark mode
  return theme
}

/** Calls `changed` on each later change, wherever it comes from. The page lives as long as the document: nothing to undo. */
export function watchTheme(changed: (theme: Theme) => void): void {
  const repaint = (): void => changed(paintTheme())
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', repaint)
  window.addEventListener('storage', repaint)
  const parent = tensorboardWindow()
  if (parent !== undefined) new MutationObserver(repaint).observe(parent.document.body, { attributeFilter: ['class'] })
}
