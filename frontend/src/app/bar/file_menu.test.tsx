import { render } from 'preact'
import { act } from 'preact/test-utils'
import { expect, test, vi } from 'vitest'

import { askOnce } from '../../data/runs'
import { FileMenu } from './file_menu'

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
