import { render } from 'preact'
import { act } from 'preact/test-utils'
import { expect, test, vi } from 'vitest'

import { askOnce } from '../../data/runs'
import { at } from '../../state/place'
import { FileMenu } from './file_menu'

const sent = vi.hoisted(() => vi.fn<(file: File, onSent: unknown, beside?: string) => Promise<unknown>>())
vi.mock('../../data/send', () => ({ sendFile: sent }))

async function menu(takesFiles: boolean, hasView = true): Promise<HTMLElement> {
  const reply = new Response(JSON.stringify({ takes_files: takesFiles, runs: [] }), { status: 200 })
  vi.stubGlobal('fetch', () => Promise.resolve(reply))
  const page = document.createElement('div')
  await act(async () => {
    await askOnce()
    render(<FileMenu title="Overview" profile={undefined} hasView={hasView} />, page)
  })
  return page
}

test('a file is offered to be opened where the server takes files, and nowhere else', async () => {
  const input = 'input[type=file]'
  const open = await menu(true)
  expect([open.querySelector(input) !== null, open.querySelector('button')?.title]).toEqual([
    true,
    'Open a profile from this computer, save a picture of the view',
  ])
  const closed = await menu(false)
  expect([closed.querySelector(input), closed.querySelector('button')?.title]).toEqual([
    null,
    'Save a picture of the view',
  ])
  expect((await menu(false, false)).textContent).toBe('')
})

test('what is dropped is not sent where the server takes no files', async () => {
  const page = await menu(false)
  const drop = new Event('drop', { cancelable: true }) as DragEvent
  const transfer = { types: ['Files'], files: [new File(['x'], 'a.pt.trace.json')], dropEffect: 'copy' }
  Object.defineProperty(drop, 'dataTransfer', { value: transfer })
  document.dispatchEvent(drop)
  expect([drop.defaultPrevented, transfer.dropEffect, page.querySelector('.drop-said')]).toEqual([true, 'none', null])
})

test('of several files each is sent, those that are none are named, and what opened is shown', async () => {
  const page = await menu(true)
  sent.mockImplementation((file, _, beside) =>
    file.name.startsWith('rank')
      ? Promise.resolve({ run: 'dropped/2_ranks', worker: file.name, span: '1', beside })
      : Promise.reject(new Error(`${file.name}: not a profile: the file is empty`)),
  )
  const input = page.querySelector('input')
  const files = ['rank0', 'broken', 'rank1'].map((name) => new File(['x'], name))
  Object.defineProperty(input, 'files', { value: files })
  await act(async () => {
    input?.dispatchEvent(new Event('change'))
    await vi.waitFor(() => expect(at('worker')).toBe('rank1'))
  })
  expect(sent.mock.calls.map(([file, , beside]) => [file.name, beside])).toEqual([
    ['rank0', ''],
    ['broken', 'dropped/2_ranks'],
    ['rank1', 'dropped/2_ranks'],
  ])
  expect(page.querySelector('[role=alert]')?.textContent).toContain('broken: not a profile: the file is empty')
  expect([at('run'), at('worker')]).toEqual(['dropped/2_ranks', 'rank1'])
})
