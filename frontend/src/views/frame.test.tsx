/** What is said where a view has no answer, over a made-up server. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, expect, test, vi } from 'vitest'

import { useReply } from '../data/reply'
import { askOnce } from '../data/runs'
import { Failed, ViewFrame } from './frame'

const PROFILE = { run: 'r', worker: 'w', span: '1' }

afterEach(() => {
  render(null, document.body)
  vi.unstubAllGlobals()
})

test('what takes too long of a profile that is open is not said of the profile', async () => {
  const heading = async (): Promise<string | undefined> => {
    await act(() => render(<Failed profile={PROFILE} reason="the statement took over 8 s" />, document.body))
    return document.querySelector('[role=alert] h2')?.textContent
  }
  expect(await heading()).toBe('This profile cannot be shown')
  render(null, document.body)
  const span = { name: PROFILE.span, state: 'ready', files: [], size_bytes: 1 }
  const runs = [{ name: PROFILE.run, workers: [{ name: PROFILE.worker, spans: [span] }] }]
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ scanning: false, runs })))
  await askOnce()
  expect(await heading()).toBe('This question has no answer')
})

test('who has cancelled is not told that the profile cannot be shown', async () => {
  const reason = 'opening it was cancelled; nothing is wrong with the file'
  await act(() => render(<Failed profile={PROFILE} reason={reason} />, document.body))
  expect(document.querySelector('[role=alert] h2')?.textContent).toBe('Cancelled')
})

test('of a run that left dumps and no profile nothing is asked; it is said what is there, and Ranks is a click away', async () => {
  const why = 'dumps of flight recorders and no profile'
  const span = {
    name: PROFILE.span,
    state: 'failed',
    files: [],
    size_bytes: 1,
    no_profile: true,
    is_dumps: true,
    error: why,
  }
  const asked: string[] = []
  vi.stubGlobal('innerHeight', 800)
  vi.stubGlobal('fetch', (address: string) => {
    asked.push(address)
    const runs = [{ name: PROFILE.run, workers: [{ name: PROFILE.worker, spans: [span] }] }]
    return Promise.resolve(Response.json({ scanning: false, runs }))
  })
  await askOnce()
  asked.length = 0
  function View() {
    const reply = useReply('view/advice', PROFILE, {})
    return (
      <ViewFrame profile={PROFILE} reply={reply.value}>
        {() => 'advice'}
      </ViewFrame>
    )
  }
  await act(() => render(<View />, document.body))
  await act(() => new Promise((resolve) => setTimeout(resolve, 20)))
  expect(asked.filter((address) => !address.endsWith('/runs'))).toEqual([])
  expect(document.querySelector('.notice')?.textContent).toBe(`There is no profile here${why}. Open Ranks`)
})

test('of a file that has changed what is shown stays until it is read again, and of another profile nothing does', async () => {
  const profile = { run: 'live', worker: 'w', span: '1' }
  let size = 1
  let answer: () => Response = () => Response.json({ view: 'advice', result: 'old', notes: [], missing: null })
  const stage = 'written a moment ago, 2 kB so far'
  const waiting = { state: 'loading', stage, progress: 0.4, so_far: null, seconds_left: null }
  vi.stubGlobal('fetch', (address: string) => {
    if (!address.endsWith('/runs'))
      return Promise.resolve(address.includes('/advice') ? answer() : Response.json({ working: [] }))
    const spans = [{ name: '1', state: 'ready', files: [], size_bytes: size }]
    const runs = [{ name: 'live', workers: [{ name: 'w', spans }] }]
    return Promise.resolve(Response.json({ scanning: false, runs }))
  })
  function View({ span }: { readonly span: string }) {
    const { value } = useReply('view/advice', { ...profile, span }, {})
    return (
      <ViewFrame profile={{ ...profile, span }} reply={value}>
        {(result) => <b>{JSON.stringify(result)}</b>}
      </ViewFrame>
    )
  }
  const settled = async (span = '1'): Promise<(string | undefined)[]> => {
    await act(async () => {
      await askOnce()
      render(<View span={span} />, document.body)
    })
    await act(() => new Promise((resolve) => setTimeout(resolve, 30)))
    return ['b', '[role=status]'].map((part) => document.querySelector(part)?.textContent)
  }
  expect(await settled()).toEqual(['"old"', undefined])
  size = 2
  answer = () => Response.json(waiting, { status: 202 })
  expect(await settled()).toEqual([
    '"old"',
    `The file has changed, what is shown was read before. Loading: ${stage}, 40 %`,
  ])
  expect((await settled('2'))[0]).toBeUndefined()
  expect((await settled())[0]).toBe('"old"')
  size = 3
  answer = () => Response.json({ view: 'advice', result: 'new', notes: [], missing: null })
  expect(await settled()).toEqual(['"new"', undefined])
})
