import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'

/** Runs a script in bash against this API and returns all lines. Rejects if a command fails. */
export async function runShellExample(script: string, apiUrl: string): Promise<string[]> {
  const dir = await mkdtemp(join(tmpdir(), 'tideport-example-'))
  try {
    const env = { ...process.env, API: apiUrl, TMPDIR: dir, PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) } // biome-ignore format: one object
    const options = { env, cwd: dir, timeout: 120_000 }
    // Also prints output that the script redirects to a file, because the example shows it.
    const shown = script.replace(/ > (\w+\.json)$/gm, ' | tee $1')
    return (await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', shown], options)).stdout.split('\n')
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

/** The responses that a shell example shows in comments below a command, as patterns of the printed lines. */
export function answersOf(script: string): { shown: string; pattern: RegExp }[] {
  const lines = script.split('\n')
  return lines.flatMap((line, index) => {
    const before = lines[index - 1] ?? ''
    if (!line.startsWith('# ') || before === '' || before.startsWith('#')) return []
    const shown = line.slice(2).replace(/(?<=\}); .*$/, '')
    return [{ shown, pattern: new RegExp(`^${patternOf(shown)}$`) }]
  })
}

/** Numbers, omissions (`…`), and ID digits before an omission match any value. */
function patternOf(shown: string): string {
  const tokens = shown.match(/"[^"]*"|[0-9a-f]+…|…|\d+|[^"…\d]/g) ?? []
  return tokens
    .map((token) => {
      if (token === '…') return '.*'
      if (/^[0-9a-f]+…$/.test(token)) return '[0-9a-f]+'
      if (/^\d+$/.test(token)) return '\\d+'
      return token
        .replace(/^"[0-9a-f-]+…/, '"…')
        .split('…')
        .map(literally)
        .join('[^"]*')
    })
    .join('')
}

const literally = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
