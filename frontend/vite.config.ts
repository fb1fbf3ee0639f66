import { defineConfig, minifySync } from 'vite'
import type { Plugin, Rolldown, UserConfig } from 'vite'

import { notices } from './notices.ts'
import { report } from './report.ts'

/** Only what has no arguments is put in place: copies of the rest are longer than calls. No function here is made with `new`,
    and nothing is text otherwise by `String` than by itself: `unsafe` writes one for the other. */
const SMALL = { passes: 3, inline: 1, unsafe: true, unsafe_arrows: true, lhs_constants: false, keep_fargs: false }

/** Vite's own minifier before terser and after it, where it chooses the names: 1.4 kB less than terser alone. */
const AROUND = (['pre', 'post'] as const).map((order): Plugin => ({
  name: `minified ${order}`,
  renderChunk: {
    order,
    handler: (code, { fileName }) =>
      minifySync(fileName, code, {
        module: true,
        mangle: order === 'post',
        codegen: { removeWhitespace: order === 'post' },
      }).code,
  },
}))

const SHARED: UserConfig = {
  plugins: AROUND,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    // Without it each chunk would carry a polyfill for browsers that ES2022 already leaves out.
    modulePreload: { polyfill: false },
    // 1.5 % less to load than Vite's own; nothing is written for Safari 10, which has no ES2022.
    minify: 'terser',
    terserOptions: { ecma: 2020, module: true, safari10: false, compress: SMALL, mangle: false },
  },
}

/** Where a script only loaded a style sheet Vite leaves a remark, after all minifying. */
const BARE: Plugin = {
  name: 'no remarks',
  enforce: 'post',
  generateBundle: {
    order: 'post',
    handler: (_, bundle) => {
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk') file.code = file.code.replace(/\/\* empty css +\*\//g, '')
      }
    },
  },
}

/** What comes with a later chunk: its style sheets must be there before it draws, its scripts may come side by side. Vite's own,
    four times as long, also knows nonces and older browsers. */
const BESIDE: Plugin = {
  name: 'beside a chunk',
  transform: {
    filter: { id: /^\0vite\/preload-helper/ },
    handler: () => `
      const asked = {}
      export const __vitePreload = (load, files = [], from) =>
        Promise.all(
          files.map((file) => {
            const { href } = new URL(file, from)
            return (asked[href] ??= new Promise((resolve, reject) => {
              const isStyle = href.endsWith('.css')
              const onerror = () => {
                delete asked[href]
                reject(Error(href))
              }
              const link = { rel: isStyle ? 'stylesheet' : 'modulepreload', href, onload: resolve, onerror }
              document.head.append(Object.assign(document.createElement('link'), link))
              if (!isStyle) resolve()
            }))
          }),
        ).then(load)`,
  },
}

/** The page opens with these: its frame, which every view needs, and the view of a profile. */
const FRAME = /src\/app\/start\.tsx$/
const FIRST = /src\/(?:app\/start|views\/overview\/index)\.tsx$/

/** What the frame opens when it is asked to, and few ask, or while a profile loads: together they are smaller than each by itself. */
const ASKED =
  /src\/(?:app\/(?:help_dialog|no_profile|palette|bar\/filter_form)|widgets\/picture|views\/meanwhile|.*own_keys)/

/** Tables that are read one after the other, of the same parts: together they are 7 kB less than each by itself. */
const TABLES = /src\/views\/(?:operators|kernels|modules|sql|roofline|memory)\//

/** Views of several runs or ranks, and what is asked of a profile now and then: 40 kB together, 5 kB less than each by itself. */
const NOW_AND_THEN = /src\/views\/(?:compare|trends|whatif|advice|runs|ranks)\//

/** `name` for what one of these imports, or what that imports. The entries stay by themselves: they load the style sheets of the rest. */
function neededBy(entries: RegExp, name: string): (id: string, graph: Rolldown.ChunkingContext) => string | null {
  return (id, graph) => {
    const seen = new Set<string>()
    const isNeeded = (module: string): boolean => {
      if (seen.has(module)) return false
      seen.add(module)
      return entries.test(module) || (graph.getModuleInfo(module)?.importers.some(isNeeded) ?? false)
    }
    return !FIRST.test(id) && isNeeded(id) ? name : null
  }
}

/** The style sheets of all that the page does not open with are one: 2 kB less than each by itself. */
function styleOfTheRest(id: string, graph: Rolldown.ChunkingContext): string | null {
  return id.endsWith('.css') && neededBy(FIRST, 'first')(id, graph) === null ? 'style' : null
}

/** Builds the page into the Python package: `index.js` is what TensorBoard imports, everything else is a hashed chunk. */
export default defineConfig({
  // Relative: the page lives under whatever prefix TensorBoard or a proxy gives it.
  base: './',
  ...SHARED,
  plugins: [AROUND, BARE, BESIDE, notices(), report(SHARED)],
  define: { IS_REPORT: 'false' },
  build: {
    ...SHARED.build,
    outDir: '../tb_plugin/static',
    emptyOutDir: true,
    // data: URLs are blocked by TensorBoard's content security policy.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: { index: 'src/index.ts', standalone: 'src/standalone.ts' },
      // TensorBoard calls the entry's `render`; without this the export is dropped.
      preserveEntrySignatures: 'strict',
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: 'assets/[name]-[hash].js',
        assetFileNames: 'assets/[name]-[hash][extname]',
        // The frame is one piece, and so is what several views share: twenty pieces of 300 bytes cost more than they spare, and
        // two that are always loaded together more than one. What only later views share comes with the first group that has it.
        codeSplitting: {
          groups: [
            { name: styleOfTheRest, debugName: 'style', priority: 3 },
            { name: neededBy(FRAME, 'frame'), debugName: 'frame', priority: 2 },
            { name: neededBy(FIRST, 'shared'), debugName: 'shared', minShareCount: 2, priority: 1 },
            { name: 'asked', test: ASKED },
            { name: 'tables', test: TABLES },
            { name: 'now_and_then', test: NOW_AND_THEN },
          ],
        },
      },
    },
  },
})
