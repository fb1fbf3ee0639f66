/** What the browser copies from a table: whole names instead of cut ones, and of several rows the rows themselves. */
import type { Column } from '../column'
import { toLine } from '../export'

export function copyWhole<R>(
  event: ClipboardEvent,
  rowAt: (position: number) => R | undefined,
  columns: readonly Column<R>[],
): void {
  const selection = window.getSelection()
  const from = cellOf(selection?.anchorNode)
  const to = cellOf(selection?.focusNode)
  if (selection === null || from === null || to === null) return
  const text = from === to ? wholeCell(from, selection.toString()) : rowsBetween(from, to, rowAt, columns)
  if (text === undefined) return
  event.clipboardData?.setData('text/plain', text)
  event.preventDefault()
}

function cellOf(node: Node | null | undefined): HTMLElement | null {
  const element = node instanceof HTMLElement ? node : node?.parentElement
  return element?.closest('td') ?? null
}

/** The whole name where all of a cut one is selected; a part of it stays the part that was selected. */
function wholeCell(cell: HTMLElement, selected: string): string | undefined {
  const isCutName = cell.classList.contains('is-name') && selected.trim() === cell.textContent.trim()
  return isCutName ? cell.title : undefined
}

function rowsBetween<R>(
  from: HTMLElement,
  to: HTMLElement,
  rowAt: (position: number) => R | undefined,
  columns: readonly Column<R>[],
): string | undefined {
  const [a, b] = [positionOf(from), positionOf(to)]
  if (Number.isNaN(a) || Number.isNaN(b)) return undefined
  const lines: string[] = []
  for (let position = Math.min(a, b); position <= Math.max(a, b); position++) {
    const row = rowAt(position)
    if (row !== undefined) lines.push(toLine(row, columns))
  }
  return lines.join('\n')
}

/** A row's place in the order shown; rows start at 2 because the header is 1. */
function positionOf(cell: HTMLElement): number {
  return Number(cell.closest('tr')?.getAttribute('aria-rowindex') ?? NaN) - 2
}
