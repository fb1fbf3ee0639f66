import { defineConfig } from 'vitest/config'

export default defineConfig({
  define: { IS_REPORT: 'false' },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    environment: 'happy-dom',
    include: ['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
    // Making a window takes longer than the tests of a file: one for all files of a process, and `fresh` before each.
    isolate: false,
    setupFiles: ['test/fresh.ts'],
  },
})
