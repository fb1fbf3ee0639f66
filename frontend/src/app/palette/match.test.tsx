import { render } from 'preact'
import { beforeEach, expect, test, vi } from 'vitest'

import { TRACKS } from '../../../test/timeline'
import { at, go } from '../../state/place'
import { fixed } from './commands'
import { listed, matching } from './match'
import type { Command } from './match'
import { ofArea, ofSteps } from './of_timeline'
import { ofTracks } from './of_tracks'

const STEPS = [3, 4, 5, 15].map((number, place) => ({
  name: `ProfilerStep#${number}`,
  number,
  start_ns: 1000 * place,
  end_ns: 1000 * place + 900,
  timed_start_ns: 1000 * place,
  timed_end_ns: 1000 * place + 900,
  complete: true,
}))

beforeEach(() => {
  const none = {
    steps: undefined,
    'timeline.t0_ns': undefined,
    'timeline.t1_ns': undefined,
    'timeline.area': undefined,
  }
  go({ view: 'overview', run: 'r', worker: 'w', span: '1', ...none })
  render(
    <>
      <header>
        <button class="button">Save picture (PNG)</button>
        <button class="button">Save picture (SVG)</button>
      </header>
      <main>
        <div role="toolbar">
          <button class="button" aria-label="Zoom in" />
          <button class="button" aria-label="Fit: Zoom to the selection" disabled />
          <button class="button" aria-label="Mark the selected event's time across all tracks" disabled />
          <button class="button" aria-label="Measure: the stretch stays as a mark" />
          <button class="button" aria-label="Perfetto: open this window there" />
          <button class="button">Open in ui.perfetto.dev</button>
          <button class="button" aria-label="Python, nn.Module: shown" />
          <span role="group" aria-label="Hidden tracks">
            <button class="button">track 9</button>
          </span>
        </div>
        <ul class="tl-list">
          <button aria-label="Move track 4 up" />
          <button aria-label="Pin track 4" />
          <button aria-label="track 4: 1 event" disabled />
        </ul>
      </main>
    </>,
    document.body,
  )
})

function found(typed: string): readonly Command[] {
  const known = { ...TRACKS, steps: STEPS }
  return [...ofSteps(typed, known), ...matching([...fixed(), ...ofArea(known), ...ofTracks(known)], typed)]
}

test.each([
  ['flame', 'Flame graph'],
  ['flame graph', 'Flame graph'],
  ['export', 'Perfetto: open this window there'],
  ['open this window in perfetto', 'Perfetto: open this window there'],
  ['picture as png', 'Save picture (PNG)'],
  ['picture as svg', 'Save picture (SVG)'],
  ['report', 'Report of this profile as one HTML file'],
  ['zoom', 'Zoom in'],
  ['fit', 'Fit: Zoom to the selection'],
  ['note', 'Measure: the stretch stays as a mark'],
  ['pin', 'Pin track 9'],
  ['hide python', 'Python, nn.Module: shown'],
  ['collapse', 'Fold all groups'],
  ['fold', 'Fold all groups'],
  ['expand', 'Unfold all groups'],
  ['longest', 'Table by name'],
  ['track_9', 'track 9'],
  ['flame_graph', 'Flame graph'],
  ['track 9', 'track 9'],
  ['go to track 9', 'track 9'],
  ['move', 'Move track 4 up'],
  ['compare', 'Compare'],
  ['diff', 'Compare'],
  ['help', 'Keys and mouse'],
  ['shortcuts', 'Keys and mouse'],
  ['oom', 'Memory'],
  ['nccl', 'Ranks'],
  ['bottleneck', 'Advice'],
])('who types %s finds "%s"', (typed, words) => {
  expect(found(typed).map((each) => each.words)).toContain(words)
})

test('what is called so comes before what is also called so, and what cannot be done now comes last', () => {
  expect(found('mark').map(({ words, isOff }) => [words, isOff === true])).toEqual([
    ['Measure: the stretch stays as a mark', false],
    ['Timeline', false],
    ["Mark the selected event's time across all tracks", true],
  ])
  expect(found('export')[0]?.words).not.toBe('Timeline')
  expect(found('compare')[0]?.words).toBe('Compare')
})

test.each(['step 5', '5', '#5', 'go to step 5', 'Step #5', 'ProfilerStep#5'])(
  '%s leads to step 5 in the timeline',
  (typed) => {
    const [first, second] = found(typed.toLowerCase())
    expect([first?.words, first?.about]).toEqual(['Step 5', 'in the timeline'])
    first?.act()
    expect([at('view'), at('timeline.t0_ns'), at('timeline.t1_ns'), at('steps')]).toEqual([
      'timeline',
      '2000',
      '2900',
      undefined,
    ])
    second?.act()
    expect(at('steps')).toBe('5')
  },
)

test('whoever is faster than the steps is led there when they have come', async () => {
  const coming = Promise.resolve({ steps: STEPS })
  const [first] = ofSteps('step 4', undefined, coming)
  expect([first?.words, first?.about]).toEqual(['Step 4', 'in the timeline'])
  first?.act()
  await coming
  expect([at('view'), at('timeline.t0_ns')]).toEqual(['timeline', '1000'])
})

test('steps without a number are listed, several are a filter, and one that is not there is said', () => {
  expect(
    found('step')
      .slice(0, 4)
      .map(({ words }) => words),
  ).toEqual(['Step 3', 'Step 4', 'Step 5', 'Step 15'])
  expect(found('steps 3-5')[0]?.words).toBe('Only steps 3-5')
  const [absent] = found('step 7')
  expect([absent?.words, absent?.about, absent?.isOff]).toEqual(['Step 7 is not recorded', 'steps 3 to 15 are', true])
})

test.each(['std_mean', 'std', 'stacked', 'strided', 'stream 7', 'gold', 'go to 100ms', 'start'])(
  '%s means no step',
  (typed) => {
    expect(ofSteps(typed, { steps: STEPS })).toEqual([])
  },
)

test.each(['go', 'go to', 'go to step', 'step', 'steps'])('%s lists the steps', (typed) => {
  expect(ofSteps(typed, { steps: STEPS })).toHaveLength(STEPS.length)
})

test('however many steps there are, all else that is found is listed as without them', () => {
  const [steps, actions, names] = [60, 100, 30].map((n, kind) => Array.from({ length: n }, (_, i) => `${kind} ${i}`))
  const without = listed([], actions ?? [], names ?? [])
  expect(without).toHaveLength(40)
  expect(without.filter((each) => each.startsWith('2'))).toHaveLength(20)
  expect(listed(steps ?? [], actions ?? [], names ?? [])).toEqual([...(steps ?? []).slice(0, 10), ...without])
  expect(listed(steps ?? [], [], ['std_mean'])).toHaveLength(40)
})

test('the flame graph is that of the area, else of the window, else of all that was recorded', () => {
  const flame = (): void => found('flame')[0]?.act()
  flame()
  expect([at('view'), at('timeline.as'), at('timeline.area')]).toEqual(['timeline', 'flame', '0,1000000:4,5,7,9'])
  go({ 'timeline.area': undefined, 'timeline.t0_ns': '10', 'timeline.t1_ns': '20' })
  flame()
  expect(at('timeline.area')).toBe('10,20:4,5,7,9')
  go({ 'timeline.area': '1,2:4' })
  flame()
  expect(at('timeline.area')).toBe('1,2:4')
})

test('a track is led to, hidden, shown and pinned, whether it is in sight or not', () => {
  const chosen = (typed: string, words: string): void =>
    found(typed)
      .find((each) => each.words === words)
      ?.act()
  chosen('track 9', 'track 9')
  expect([at('view'), at('timeline.track')]).toEqual(['timeline', '9'])
  go({ 'timeline.track': undefined })
  chosen('hide track 9', 'Hide track 9')
  chosen('hide track 5', 'Hide track 5')
  chosen('pin track 9', 'Pin track 9')
  expect([at('timeline.hidden'), at('timeline.pinned')]).toEqual(['9,5', '9'])
  chosen('track 9', 'Show track 9')
  chosen('pin track 9', 'Let track 9 scroll')
  expect([at('timeline.track'), at('timeline.pinned')]).toEqual(['9', undefined])
  expect(found('track 9').filter(({ words }) => words === 'track 9')).toHaveLength(1)
  expect(found('track 4').map(({ words }) => words)).toEqual([
    'track 4',
    'Move track 4 up',
    'Hide track 4',
    'Pin track 4',
  ])
})

test('all groups fold and unfold; tracks that are flat stay so', () => {
  go({ 'timeline.folded': 'g1,t4' })
  const chosen = (words: string): void =>
    found('fold')
      .find((each) => each.words === words)
      ?.act()
  chosen('Fold all groups')
  expect(at('timeline.folded')).toBe('g0,g1,g2,t4')
  chosen('Unfold all groups')
  expect(at('timeline.folded')).toBe('t4')
})

test('the other theme is chosen, and kept until the system has it', () => {
  const media = vi.spyOn(window, 'matchMedia').mockReturnValue({ matches: false } as MediaQueryList)
  matching(fixed(), 'dark')[0]?.act()
  expect([localStorage.getItem('torch_profile.theme'), document.documentElement.dataset['theme']]).toEqual([
    'dark',
    'dark',
  ])
  expect(matching(fixed(), 'dark')[0]?.words).toBe('Light theme')
  matching(fixed(), 'light')[0]?.act()
  expect([localStorage.getItem('torch_profile.theme'), document.documentElement.dataset['theme']]).toEqual([
    null,
    'light',
  ])
  media.mockRestore()
})

test('a report has its line for the shell', async () => {
  const said = await matching(fixed(), 'report')[0]?.says?.()
  expect(said).toContain("tb-plugin report LOGDIR --run 'r' --worker 'w' --span '1' -o report.html")
})
