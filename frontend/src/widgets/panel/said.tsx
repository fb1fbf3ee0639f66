/** What the server says, on the page: names between backticks as code, and the page's own signs for "us" and minus. */
import type { ComponentChildren } from 'preact'

import { withMicroseconds } from '../../base/units'

const CODE = /(`[^`]+`)/

/** A backtick without another one stays as it is. */
export function Said({ text }: { readonly text: string }) {
  return <>{coded(text, withMicroseconds)}</>
}

/** Of an attribute, as a title, which has no code: without the backticks. */
export function saidPlainly(text: string): string {
  return text
    .split(CODE)
    .map((part, at) => (at % 2 === 1 ? part.slice(1, -1) : withMicroseconds(part)))
    .join('')
}

/** `words`: of what is no code. */
export function coded(text: string, words = (part: string): string => part): ComponentChildren[] {
  return text.split(CODE).map((part, at) => (at % 2 === 1 ? <code key={at}>{part.slice(1, -1)}</code> : words(part)))
}
