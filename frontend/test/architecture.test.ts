/** Arrows point down, and every folder says what lives in it. */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

import { expect, test } from 'vitest'

const SRC = join(import.meta.dirname, '../src')

/** What each folder may import besides itself. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  base: [],
  data: ['base'],
  layout: ['base'],
  state: ['base'],
  draw: ['base', 'layout', 'data'],
  widgets: ['base', 'layout', 'state'],
  views: ['base', 'data', 'layout', 'state', 'draw', 'widgets'],
  app: ['base', 'data', 'layout', 'state', 'widgets', 'views'],
}

const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && !file.includes('.test.'),
)

function imports(file: string): string[] {
  const text = readFileSync(join(SRC, file), 'utf8')
  const found = text.matchAll(/(?:from|import)\s*\(?'(\.[^']+)'/g)
  return Array.from(found, ([, path = '']) => relative(SRC, resolve(SRC, dirname(file), path)))
}

test('no folder imports from above', () => {
  const wrong = sources.flatMap((file) => {
    const [from = ''] = file.split('/')
    if (!(from in ALLOWED)) return [] // index.ts and standalone.ts, the entries
    return imports(file)
      .filter((path) => {
        const [to = ''] = path.split('/')
        return to !== from && ALLOWED[from]?.includes(to) !== true
      })
      .map((path) => `${file} -> ${path}`)
  })
  expect(wrong).toEqual([])
})

test('no view imports a view', () => {
  const wrong = sources.flatMap((file) => {
    const [top, view = '', inside] = file.split('/')
    if (top !== 'views' || inside === undefined) return []
    return imports(file)
      .filter((path) => path.startsWith('views/') && path.split('/').length > 2 && path.split('/')[1] !== view)
      .map((path) => `${file} -> ${path}`)
  })
  expect(wrong).toEqual([])
})

test('every folder has a README of at most 15 lines', () => {
  const folders = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(SRC, path)).isDirectory(),
  )
  const wrong = folders.filter((folder) => {
    const readme = join(SRC, folder, 'README.md')
    return !existsSync(readme) || readFileSync(readme, 'utf8').trimEnd().split('\n').length > 15
  })
  expect(wrong).toEqual([])
})

test('files stay small', () => {
  const long = sources.filter(
    (file) => file !== 'data/wire.ts' && readFileSync(join(SRC, file), 'utf8').split('\n').length > 400,
  )
  expect(long).toEqual([])
})
