import { expect, test } from 'vitest'

import { pictureOf } from './picture'

function shown(html: Node[]): HTMLElement {
  const root = document.createElement('main')
  root.append(...html)
  document.body.replaceChildren(root)
  return root
}

test('above the picture stands what it is of, with its colours', () => {
  const root = shown([])
  root.style.setProperty('--c-kernel', 'rgb(1, 2, 3)')
  const svg = pictureOf(root, () => ({
    title: 'Timeline',
    lines: ['run · worker', '0 ns to 2 ms'],
    legend: [
      ['--c-kernel', 'Kernel'],
      ['#ff0000', 'Copy'],
    ],
  }))
  expect([...svg.querySelectorAll('text')].map((text) => text.textContent)).toEqual([
    'Timeline',
    'run · worker',
    '0 ns to 2 ms',
    'Kernel',
    'Copy',
  ])
  expect([...svg.querySelectorAll('rect')].slice(1).map((rect) => rect.getAttribute('fill'))).toEqual([
    'rgb(1, 2, 3)',
    '#ff0000',
  ])
})

test('a name from a trace is text in the file, whatever it holds', () => {
  const svg = pictureOf(shown([]), () => ({ title: '</text><script>x</script>\0&', lines: [] }))
  const text = new XMLSerializer().serializeToString(svg)
  expect(text).not.toContain('<script>')
  expect(text).toContain('&lt;script&gt;')
  expect(text).not.toContain('\0')
})
