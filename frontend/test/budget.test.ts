/** The budget of the built page: DESIGN.md section 7. Skipped where nothing is built. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

import { describe, expect, test } from 'vitest'

const STATIC = join(import.meta.dirname, '../../tb_plugin/static')
const FIRST_VIEW = 45_000 // bytes, gzip
// A view is loaded when it is opened, so a new one adds to this sum alone, 3 to 10 kB. Questions about one profile as of 2026-11 take
// 138; ranks side by side, trends, compare with its flame graph, roofline and what if 44; pictures, what sends files and what a reader knows so far 6, the choices of the map of ranks 3, the collectives of one rank 1. 250 is the most that it may ever be.
const ALL = 210_000

function size(file: string): number {
  return gzipSync(readFileSync(join(STATIC, file))).length
}

/** `assets/start-DF-FKBQQ.js` is `start`. */
function nameOf(file: string): string {
  return file.replace(/^assets\//, '').replace(/-.{8}\.(js|css)$/, '')
}

/** The files a module needs before it runs: its static imports, and theirs. */
function withImports(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  const text = readFileSync(join(STATIC, file), 'utf8')
  for (const [, name] of text.matchAll(/(?:from|import)\s*"\.{1,2}\/((?:assets\/)?[\w.-]+\.js)"/g)) {
    withImports(name?.startsWith('assets/') === true ? name : `assets/${name}`, seen)
  }
  return seen
}

const REPORT = 450_000 // bytes, without views of many profiles: it stands in every report, and the rest of 3 MB is for the profile

describe.skipIf(!existsSync(join(STATIC, 'index.js')))('the built page', () => {
  const files = readdirSync(STATIC, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(js|css)$/.test(file))

  test('the first view comes with at most 45 kB', () => {
    const chunk = (name: string): string =>
      files.find((file) => file.startsWith(`assets/${name}-`) && file.endsWith('.js')) ?? ''
    const scripts = ['index.js', chunk('start'), chunk('overview')].reduce(
      (seen, file) => withImports(file, seen),
      new Set<string>(),
    )
    // A chunk's style sheet has its name.
    const names = new Set([...scripts].map(nameOf))
    const styles = files.filter((file) => file.endsWith('.css') && names.has(nameOf(file)))
    const sum = [...scripts, ...styles].reduce((total, file) => total + size(file), 0)
    expect(styles.map(nameOf)).toEqual(expect.arrayContaining(['frame', 'overview']))
    expect(sum).toBeLessThan(FIRST_VIEW)
  })

  test('all of it is at most 210 kB', () => {
    expect(files.reduce((total, file) => total + size(file), 0)).toBeLessThan(ALL)
  })

  test('each style sheet is loaded by a script', () => {
    // Of what the entry holds itself nobody loads the style sheet: TensorBoard imports a script alone.
    const scripts = files.filter((file) => file.endsWith('.js')).map((file) => readFileSync(join(STATIC, file), 'utf8'))
    const sheets = files.filter((file) => file.endsWith('.css')).map((file) => file.replace('assets/', ''))
    expect(sheets.length).toBeGreaterThan(3)
    expect(sheets.filter((sheet) => !scripts.some((script) => script.includes(sheet)))).toEqual([])
  })

  test('the entry has its fixed name and exports render', () => {
    expect(readFileSync(join(STATIC, 'index.js'), 'utf8')).toMatch(/as render\b|export (?:async )?function render/)
    expect(size('index.js')).toBeLessThan(1000)
  })

  test('as one file, for reports, it is at most 450 kB', () => {
    expect(readFileSync(join(STATIC, 'report.html')).length).toBeLessThan(REPORT)
  })

  test('nothing in it names another server', () => {
    for (const file of [...files, 'report.html']) {
      const text = readFileSync(join(STATIC, file), 'utf8')
      // Names of XML dialects look like addresses and are never asked for; Perfetto's page opens on a click that says so.
      const addresses = [...text.matchAll(/https?:\/\/[\w.-]+/g)].map(([address]) => address)
      expect(addresses.filter((address) => !/^https?:\/\/((www\.)?w3\.org|ui\.perfetto\.dev)$/.test(address))).toEqual(
        [],
      )
    }
  })
})
