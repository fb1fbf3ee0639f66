/** A name with U+202E reads from its last letter to its first, and as another one: nothing of it may reach the document. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { expect, test } from 'vitest'

import { CutName, useCutNames } from './cut_name'
import './legible'

const NAME = '\u202eevil gnp.exe'

function List({ name }: { readonly name: string }) {
  const list = useCutNames<HTMLDivElement>()
  return (
    <div ref={list} title={name}>
      <button type="button" aria-label={`Open ${name}`} value={name}>
        {name}
      </button>
      <>
        {name}: {[1]}
      </>
      <CutName name={name} />
    </div>
  )
}

test('what turns text round is shown as a sign of its own, and the name is asked for as it is', async () => {
  await act(() => render(<List name={NAME} />, document.body))
  const said = ['div', 'button'].map((tag) =>
    document.querySelector(tag)?.getAttribute(tag === 'div' ? 'title' : 'aria-label'),
  )
  expect(said).toEqual(['�evil gnp.exe', 'Open �evil gnp.exe'])
  expect(document.body.textContent).toBe('�evil gnp.exe�evil gnp.exe: 1�evil gnp.exe')
  expect(document.querySelector('button')?.value).toBe(NAME)
  await act(() => render(<List name="عبر" />, document.body))
  expect(document.body.textContent).toContain('عبر: 1')
})
