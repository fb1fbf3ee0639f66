import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, expect, test, vi } from 'vitest'

import { Help, openPalette } from './help'

afterEach(() => render(null, document.body))

const dialogs = () => document.querySelectorAll<HTMLDialogElement>('dialog')

test('one that is opened as soon as another was closed stays, though the browser tells later that one was closed', async () => {
  await import('./palette/dialog')
  await act(() => render(<Help />, document.body))
  openPalette()
  const first = await vi.waitFor(() => dialogs()[0] ?? expect.fail('none yet'))
  openPalette() // it is closed, and that was not told yet
  await vi.waitFor(() => expect(dialogs()[0]).not.toBe(first))
  await act(() => void first.dispatchEvent(new Event('close')))
  expect(dialogs()).toHaveLength(1)
  await act(() => void dialogs()[0]?.dispatchEvent(new Event('close')))
  expect(dialogs()).toHaveLength(0)
})
