import { defineConfig } from 'vite'

import { notices } from './notices.ts'

/** Builds the page into the Python package: `index.js` is what TensorBoard imports, everything else is a hashed chunk. */
export default defineConfig({
  // Relative: the page lives under whatever prefix TensorBoard or a proxy gives it.
  base: './',
  plugins: [notices()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../tb_plugin/static',
    emptyOutDir: true,
    target: 'es2022',
    // data: URLs are blocked by TensorBoard's content security policy.
    assetsInlineLimit: 0,
    // Without it each chunk would carry a polyfill for browsers that ES2022 already leaves out.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { index: 'src/index.ts', standalone: 'src/standalone.ts' },
      // TensorBoard calls the entry's `render`; without this the export is dropped.
      preserveEntrySignatures: 'strict',
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: 'assets/[name]-[hash].js',
        assetFileNames: 'assets/[name]-[hash][extname]',
        // What several views share goes in one piece: twenty pieces of 300 bytes cost more than they spare.
        codeSplitting: {
          groups: [
            {
              name: 'shared',
              test: /src\/(?:base|layout|state|data|views\/(?:face|links|frame|verdict))|src\/widgets\/(?!table|charts\/stacked_bar)/,
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
})
