import { readFileSync } from 'node:fs'

const docs = new URL('../../../docs/', import.meta.url)

export const [composePage = '', guide = ''] = ['operate/compose', 'tutorials/run-tideport'].map((name) =>
  readFileSync(new URL(`${name}.md`, docs), 'utf8'),
)

/** The first block of commands in a section of a page in docs/operate. */
export function commandsOf(name: string, section: string): string {
  const text = readFileSync(new URL(`operate/${name}.md`, docs), 'utf8')
  const [, commands] = /```text\n([\s\S]*?)```/.exec(text.split(`## ${section}\n`)[1] ?? '') ?? []
  if (commands === undefined) throw new Error(`${name}.md has no commands under "${section}"`)
  return commands
}
