/** Commands that are there without a question to the server: views, filters, the theme, and what buttons do. */
import { CHOSEN, systemTheme, tensorboardWindow } from '../../base/theme'
import type { Theme } from '../../base/theme'
import { theme } from '../../state/theme'
import { at, go } from '../../state/place'
import { stepChanges } from '../../views/links'
import { copyText } from '../../widgets/links/clipboard'
import { openHelp } from '../help'
import { views } from '../views'
import type { Command } from './match'

/** What else one calls a view. */
const OF_VIEW: Readonly<Record<string, string>> = {
  runs: 'logdir list experiments home open',
  overview: 'summary home start step time breakdown utilisation',
  timeline: 'trace zoom fit mark note pin measure ruler flame perfetto export gantt search',
  operators: 'ops aten host cpu shapes longest csv export',
  kernels: 'gpu cuda device occupancy tensor cores longest csv export',
  roofline: 'flops bandwidth mfu peak',
  modules: 'nn.module layers flame icicle tree',
  memory: 'oom leak peak allocations fragmentation',
  advice: 'bottleneck slow fix hints recommendations findings',
  ranks: 'distributed nccl communication stragglers collectives workers',
  whatif: 'simulate estimate replay',
  compare: 'diff difference regression baseline',
  trends: 'history baseline regression',
  sql: 'query database export',
}

/** What else one calls what a button does, by how its words begin. */
const OF_BUTTON: readonly (readonly [beginning: RegExp, also: string])[] = [
  [/^(Perfetto|Open in ui|Save as \.pftrace)/, 'open this window in perfetto export download trace pftrace'],
  [/^Save picture/, 'picture as png svg export image screenshot download'],
  [/^(File|CSV|JSON|Export)/, 'export download save'],
  [/^Copy link/, 'share url address'],
  [/^(Zoom|Show all|Box|Fit)/, 'zoom fit whole reset'],
  [/^Mark/, 'note bookmark annotate marker'],
  [/^Measure/, 'ruler distance duration gap note'],
  [/^Area/, 'select range sum'],
  [/^Colours/, 'legend colors category hide'],
  [/^Beside/, 'compare second side by side'],
  [/^Search/, 'find'],
  [/: shown$/, 'hide show turn off colours'],
  [/^Show/, 'hidden tracks values counters'],
]

/** Of a track those that `of_tracks` has not, which knows all tracks: here are those in sight. */
const OF_TRACK = ['Move', 'Python', 'Show'].map((begin) => `.tl-list [aria-label^=${begin}]`)
const BUTTONS = ['header .button', 'main [role=toolbar] .button', ...OF_TRACK].join()

function buttons(): readonly HTMLButtonElement[] {
  const all = [...document.querySelectorAll<HTMLButtonElement>(BUTTONS)]
  return all.filter((button) => button.closest('[aria-label="Hidden tracks"]') === null)
}

export function fixed(): readonly Command[] {
  return [
    ...views().map(({ id, title }) => ({
      words: title,
      about: 'view',
      also: OF_VIEW[id] ?? '',
      act: () => go({ view: id }),
    })),
    {
      words: 'All steps, all names',
      about: 'filter',
      also: 'clear reset filters',
      act: () => go({ ...stepChanges(undefined), inside: undefined }),
    },
    { words: 'Keys and mouse', about: 'help', also: 'help shortcuts keyboard ?', act: openHelp },
    ...ofTheme(),
    ...ofReport(),
    ...buttons().map(ofButton),
  ]
}

/** What a button of the page does, in its own words. What it opens in a closed menu is seen only in the open one. */
function ofButton(button: HTMLButtonElement): Command {
  const words = (button.getAttribute('aria-label') ?? button.innerText).trim()
  const also = OF_BUTTON.find(([beginning]) => beginning.test(words))?.[1] ?? ''
  if (button.disabled) return { words, also, about: 'not now', isOff: true, act: () => undefined }
  const act = (): void => {
    if (button.popoverTargetElement !== null) button.closest<HTMLElement>('[popover]')?.showPopover()
    button.click()
  }
  return { words, also, about: 'do it here', act }
}

/** In TensorBoard its own switch is opened: the page follows it. */
function ofTheme(): readonly Command[] {
  const other = theme.peek() === 'dark' ? 'light' : 'dark'
  const words = { words: `${other === 'dark' ? 'Dark' : 'Light'} theme`, also: 'dark light mode colours night' }
  const parent = tensorboardWindow()
  if (parent === undefined) return [{ ...words, about: 'do it here', act: () => chooseTheme(other) }]
  const toggle = parent.document.querySelector<HTMLElement>('app-header-dark-mode-toggle button')
  return toggle === null ? [] : [{ ...words, about: 'TensorBoard’s switch', act: () => toggle.click() }]
}

/** The system's own is no choice: it is followed again. */
function chooseTheme(theme: Theme): void {
  try {
    if (theme === systemTheme()) localStorage.removeItem(CHOSEN)
    else localStorage.setItem(CHOSEN, theme)
  } catch {
    return // a browser that keeps nothing
  }
  window.dispatchEvent(new StorageEvent('storage')) // other tabs hear it from the browser
}

/** A report is written in the shell: of a server's page nobody may write files. */
function ofReport(): readonly Command[] {
  const named = [at('run'), at('worker'), at('span')] as const
  if (IS_REPORT || named.some((each) => each === undefined)) return []
  const [run, worker, span] = named.map((each) => `'${(each ?? '').replaceAll("'", "'\\''")}'`)
  const line = `tb-plugin report LOGDIR --run ${run} --worker ${worker} --span ${span} -o report.html`
  return [
    {
      words: 'Report of this profile as one HTML file',
      about: 'copy the line for the shell',
      also: 'export share html tb-plugin',
      act: () => undefined,
      says: async () => `${(await copyText(line)) ? 'Copied; in' : 'In'} a shell, with your log directory: ${line}`,
    },
  ]
}
