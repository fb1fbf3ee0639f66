/** Names in elements of any width and face, those without room cut so that they show what they differ in. */
import './cut_name.css'

import { useLayoutEffect } from 'preact/hooks'
import type { RefObject } from 'preact'

import { legible } from '../base/cut'
import { Names } from '../base/names'
import { useWidth } from './use_width'

/** Written by `useCutNames` of the element around it; what it stands in says the whole one. */
export function CutName({ name }: { readonly name: string }) {
  return <span class="cut-name" data-name={name} />
}

/** For the element around them: all in it are one list. */
export function useCutNames<T extends HTMLElement>(): RefObject<T | null> {
  const [element] = useWidth<T>(0)
  useLayoutEffect(() => {
    if (element.current !== null) writeNames([...element.current.querySelectorAll<HTMLElement>('.cut-name')])
  })
  return element
}

const WIDE = 8 // characters more than the average of a name may fit, of its narrow ones

/** All are written before the first is measured: the page is laid out twice, not twice a name. */
function writeNames(all: readonly HTMLElement[]): void {
  const texts = all.map(({ dataset: { name = '' } }) => (name === '' ? '(no name)' : legible(name)))
  all.forEach((each, index) => (each.textContent = texts[index] ?? ''))
  const context = document.createElement('canvas').getContext('2d')
  const names = new Names(texts)
  const shorts = all.map((each, index) => {
    const text = texts[index] ?? ''
    const { clientWidth, scrollWidth } = each
    if (scrollWidth <= clientWidth || context === null) return text
    const { fontWeight, fontSize, fontFamily } = getComputedStyle(each)
    context.font = [fontWeight, fontSize, fontFamily].join(' ')
    let size = Math.min(Math.floor((text.length * clientWidth) / scrollWidth) + WIDE, text.length)
    while (size > 1 && context.measureText(names.cut(text, size)).width > clientWidth) size--
    return names.cut(text, size)
  })
  all.forEach((each, index) => (each.textContent = shorts[index] ?? ''))
}
