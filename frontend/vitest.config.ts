import { defineConfig } from 'vitest/config'

export default defineConfig({
  define: { IS_REPORT: 'false' },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: { environment: 'happy-dom', include: ['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts'] },
})
