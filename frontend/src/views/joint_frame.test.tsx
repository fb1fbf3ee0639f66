import { render } from 'preact'
import { act } from 'preact/test-utils'
import { expect, test, vi } from 'vitest'

import { JointFrame } from './joint_frame'

test('while many are asked for long, it says how many and since when', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const state = { value: undefined, error: undefined }
  await act(() =>
    render(
      <JointFrame state={state} about="1,024 ranks">
        {() => null}
      </JointFrame>,
      document.body,
    ),
  )
  expect(document.body.textContent).toBe('Asking the server…')
  await act(() => {
    vi.advanceTimersByTime(5200)
  })
  expect(document.body.textContent).toBe('Working out 1,024 ranks, 5 s so far…')
  vi.useRealTimers()
})
