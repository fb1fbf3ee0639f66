/** The licences of what others wrote and the page carries: shipped beside it, because a licence asks to travel with its code. */
import { readFileSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'

import type { Plugin } from 'vite'

const FILE = 'THIRD_PARTY_NOTICES.txt'
const NODE_MODULES = join(import.meta.dirname, 'node_modules')
const HEAD = `The page in this folder carries code of the packages below, each under its own licence.\n`

interface Package {
  readonly name: string
  readonly version: string
  readonly license: string
}

/** Writes `THIRD_PARTY_NOTICES.txt` into the bundle: one part for each package of which at least one module is in it. */
export function notices(): Plugin {
  return {
    name: 'notices',
    generateBundle(_, bundle) {
      const modules = Object.values(bundle).flatMap((file) =>
        file.type === 'chunk' ? Object.keys(file.modules) : file.originalFileNames,
      )
      const homes = [...new Set(modules.flatMap(homeOf))].sort()
      this.emitFile({
        type: 'asset',
        fileName: FILE,
        source: [HEAD, ...homes.map(notice)].join(`\n${'-'.repeat(80)}\n\n`),
      })
    },
  }
}

/** The folder of the package that a module is from; none for our own. */
function homeOf(module: string): string[] {
  // What the tools themselves put in (the loader of chunks, for example) has a name like `\0vite/preload-helper.js`.
  const made = /^\0(vite|rolldown)\//.exec(module)
  if (made !== null) return [join(NODE_MODULES, made[1] ?? '')]
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(module) ?? []
}

function notice(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Partial<Package>
  const text = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file))
  if (name === undefined || license === undefined || text === undefined) {
    throw new Error(`${basename(folder)} is in the page, but its licence was not found in ${folder}`)
  }
  return `${name} ${version ?? ''} (${license})\n\n${own(readFileSync(join(folder, text), 'utf8')).trim()}\n`
}

/** Vite's file goes on with the licences of what its own tools are made from, none of which is in the page. */
function own(text: string): string {
  return text.split('\n# Licenses of bundled dependencies')[0] ?? text
}
