import { render } from 'preact'
import { act } from 'preact/test-utils'
import { expect, test, vi } from 'vitest'

import { askOnce } from '../../data/runs'
import { at } from '../../state/place'
import { FileMenu } from './file_menu'

const sent = vi.hoisted(() => vi.fn<(file: File, onSent: unknown, beside?: string) => Promise<unknown>>())
vi.mock('../../data/send', async (actual) => ({ ...(await actual<object>()), sendFile: sent }))

const page = document.createElement('div')

async function menu(takesFiles: boolean, hasView = true): Promise<HTMLElement> {
  const reply = new Response(JSON.stringify({ takes_files: takesFiles, runs: [] }), { status: 200 })
  vi.stubGlobal('fetch', () => Promise.resolve(reply))
  render(null, page) // the one before listens to what is dropped
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
  const transfer = { types: ['Files'], files: [new File(['x'], 'a.pt.trace.json')], items: [], dropEffect: 'copy' }
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

function folder(name: string, inside: readonly object[]): object {
  const left = [...inside] // a reader gives some at a time, and nothing at the end
  const readEntries = (done: (some: readonly object[]) => void): void => done(left.splice(0, 2))
  return { name, isFile: false, isDirectory: true, createReader: () => ({ readEntries }) }
}

function drop(entry: object): void {
  const event = new Event('drop', { cancelable: true }) as DragEvent
  const transfer = { types: ['Files'], files: [new File([''], 'job')], items: [{ webkitGetAsEntry: () => entry }] }
  Object.defineProperty(event, 'dataTransfer', { value: transfer })
  document.dispatchEvent(event)
}

test('of a folder its files are sent, and few words are made of those that are no profiles', async () => {
  const page = await menu(true)
  const file = (name: string): object => ({
    ...{ name, isFile: true, isDirectory: false },
    file: (done: (file: File) => void) => done(new File(['x'], name)),
  })
  sent
    .mockReset()
    .mockImplementation(({ name }) =>
      name.startsWith('rank')
        ? Promise.resolve({ run: 'dropped/of_folder', worker: name, span: '1' })
        : Promise.reject(new Error(`${name} is none.`)),
    )
  const notes = ['a', 'b', 'c', 'd', 'e'].map(file)
  await act(async () => {
    drop(
      folder('job', [
        file('rank0'),
        file('.hidden'),
        folder('.git', [file('rank9')]),
        folder('deep', [...notes, file('rank1')]),
      ]),
    )
    await vi.waitFor(() => expect(at('run')).toBe('dropped/of_folder'))
  })
  expect(sent.mock.calls.map(([{ name }]) => name)).toEqual(['rank0', 'a', 'b', 'c', 'd', 'e', 'rank1'])
  await vi.waitFor(() =>
    expect(page.querySelector('[role=alert]')?.textContent).toContain(
      'a is none. b is none. c is none. And 2 files more.',
    ),
  )
  await act(() => drop(folder('none', [])))
  await vi.waitFor(() => expect(page.querySelector('[role=alert]')?.textContent).toContain('No file is in the folder.'))
})
