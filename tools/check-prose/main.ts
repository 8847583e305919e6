import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { extname, join, matchesGlob, resolve } from 'node:path'
import { TextlintKernel, type TextlintKernelOptions } from '@textlint/kernel'
import * as markdown from '@textlint/textlint-plugin-markdown'
import { headings } from './headings.ts'
import { sentences } from './sentences.ts'
import { sourceText } from './source-text.ts'
import { subjectFaults } from './subjects.ts'
import { terms } from './terms.ts'

/**
 * Checks the prose of tracked files (or of the files given as arguments) and the subjects of the last commits.
 * Prints `file:line: fault` for each fault, and exits 1 if there is one.
 */
const root = join(import.meta.dirname, '../..')
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })

const checked = ['**/*.{md,ts,tsx,mjs,css,sh,yaml,yml,tpl,grit}', '**/Dockerfile', '.ci/run', '.env.example']
const skipped = [
  '**/generated/**',
  'docs/contribute/service-interface.md', // The specification is fixed, word for word.
  'tools/check-prose/terms.ts',
  'tools/test/check-prose.test.ts',
  'tools/docs-site/src/content/**',
  '**/test/openapi/**', // Descriptions that others published.
]
/** Pages and strings of the product: their sentences have a limit. In comments and tests only terms are checked. */
const limited = ['**/*.md', '{packages,services,apps}/*/src/**']

const paths = process.argv.length > 2 ? process.argv.slice(2) : git('ls-files').trim().split('\n')
const isIn = (path: string, globs: string[]) => globs.some((glob) => matchesGlob(path, glob))

const kernel = new TextlintKernel()
const plugins = [
  { pluginId: 'markdown', plugin: markdown.default.default },
  { pluginId: 'source', plugin: sourceText },
]
let faults = 0
const report = (fault: string) => {
  faults += 1
  console.error(fault)
}

for (const path of paths.filter((path) => isIn(path, checked) && !isIn(path, skipped))) {
  const rules: TextlintKernelOptions['rules'] = [{ ruleId: 'terms', rule: terms }]
  if (isIn(path, limited)) rules.push({ ruleId: 'sentences', rule: sentences }, { ruleId: 'headings', rule: headings })
  const ext = extname(path) === '.md' ? '.md' : ['.ts', '.tsx', '.mjs'].includes(extname(path)) ? '.ts' : '.txt'
  const text = readFileSync(resolve(root, path), 'utf8')
  const { messages } = await kernel.lintText(text, { ext, filePath: path, plugins, rules })
  for (const { line, message } of messages) report(`${path}:${line}: ${message}`)
}
for (const fault of subjectFaults(git('log', '-20', '--no-merges', '--format=%s').trim().split('\n'))) report(fault)

if (faults > 0) {
  console.error(`${faults} faults in prose. docs/contribute/guide.md, "Write plain English", has the rules.`)
  process.exitCode = 1
}
