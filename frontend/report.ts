/** The page as one file, for `tb-plugin report`: script and styles stand in it, the answers are put in by Python. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { build } from 'vite'
import type { Plugin, Rolldown, UserConfig } from 'vite'

const FILE = 'report.html'

/** Writes `report.html` beside the page, from the same sources. */
export function report(shared: UserConfig): Plugin {
  return {
    name: 'report',
    apply: 'build',
    async generateBundle() {
      const { script, style } = await inOnePiece(shared)
      this.emitFile({ type: 'asset', fileName: FILE, source: page(script, style) })
    },
  }
}

async function inOnePiece(shared: UserConfig): Promise<{ script: string; style: string }> {
  const built = (await build({
    ...shared,
    configFile: false,
    define: { IS_REPORT: 'true' },
    logLevel: 'warn',
    publicDir: false,
    build: {
      ...shared.build,
      write: false,
      cssCodeSplit: false,
      rolldownOptions: { input: join(import.meta.dirname, 'src/report.ts'), output: { codeSplitting: false } },
    },
  })) as Rolldown.RolldownOutput
  const [script] = built.output.filter((file) => file.type === 'chunk')
  const [style] = built.output.filter((file) => file.type === 'asset' && file.fileName.endsWith('.css'))
  if (script === undefined || style?.type !== 'asset')
    throw new Error('the report needs one script and one style sheet')
  return { script: script.code, style: String(style.source) }
}

function page(script: string, style: string): string {
  const template = readFileSync(join(import.meta.dirname, 'report.html'), 'utf8')
  // Replacements by function: `$&` in a script is no pattern. An end tag in a text of the script would end it.
  return template
    .replace('/* style */', () => style.replaceAll('</style', '<\\/style'))
    .replace('/* script */', () => script.trim().replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--'))
}
