import { defineConfig } from 'vite'
import type { Rolldown, UserConfig } from 'vite'

import { notices } from './notices.ts'
import { report } from './report.ts'

const SHARED: UserConfig = {
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    // Without it each chunk would carry a polyfill for browsers that ES2022 already leaves out.
    modulePreload: { polyfill: false },
  },
}

/** The page opens with these: its frame, and the view of a profile. */
const FIRST = /src\/(?:app\/start|views\/overview\/index)\.tsx$/

/** `shared` for what one of them imports, or what that imports. The entries stay by themselves: they load the style sheets of the rest. */
function whereFirst(id: string, graph: Rolldown.ChunkingContext): string | null {
  const seen = new Set<string>()
  const isFirst = (module: string): boolean => {
    if (seen.has(module)) return false
    seen.add(module)
    return FIRST.test(module) || (graph.getModuleInfo(module)?.importers.some(isFirst) ?? false)
  }
  return isFirst(id) ? 'shared' : null
}

/** Builds the page into the Python package: `index.js` is what TensorBoard imports, everything else is a hashed chunk. */
export default defineConfig({
  // Relative: the page lives under whatever prefix TensorBoard or a proxy gives it.
  base: './',
  plugins: [notices(), report(SHARED)],
  ...SHARED,
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
        // What several views share goes in one piece: twenty pieces of 300 bytes cost more than they spare. What the first view
        // does not need goes in another, and tables, which not all views have, stay by themselves.
        codeSplitting: {
          groups: [
            { name: whereFirst, debugName: 'shared', minShareCount: 2, priority: 1 },
            { name: 'later', test: /src\/(?!widgets\/table|index)/, minShareCount: 2 },
          ],
        },
      },
    },
  },
})
