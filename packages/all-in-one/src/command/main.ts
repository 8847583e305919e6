#!/usr/bin/env node
import { faultOfNode } from '@tideport/dev-stack/cli/node-version'
import { endWithStarter } from './end-with-starter.ts'
import { runInPinnedNode } from './pinned-node.ts'
import { type Program, programOf } from './program-of.ts'
import { faultOfSystem } from './system.ts'

// The command of the npm package `tideport`. Programs are imported dynamically, because an old Node cannot parse them.
const run: Record<Program, () => Promise<unknown>> = {
  system: () => import('../main.ts'),
  operator: () => import('../operator-program.ts'),
  cli: () => import('@tideport/cli/src/main.ts'),
}

const help = `Without a command, tideport starts a complete installation on this machine (tideport start --help).
tideport operator is the program of operators. All other commands work with the files of an installation:

`

const [node, path, ...words] = process.argv as [string, string, ...string[]]
const program = programOf(words)
const fault = program !== 'system' ? undefined : faultOfSystem(process.platform, process.arch, libraryVersion())
const [major = 0] = process.versions.node.split('.').map(Number)
const old = program === 'cli' && major >= 22 ? undefined : faultOfNode(process.versions.node)
if (process.env.npm_lifecycle_event === 'npx') endWithStarter()
if (fault !== undefined) fail(fault)
else if (old === undefined) {
  if (words[0] === 'operator') process.argv = [node, path, ...words.slice(1)]
  if (['help', '--help', '-h'].includes(words.join(' '))) process.stdout.write(help)
  void run[program]()
} else if (!runInPinnedNode()) fail(old)

function libraryVersion(): string | undefined {
  const report = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } }
  return report.header.glibcVersionRuntime
}

function fail(sentence: string): void {
  process.stderr.write(`tideport: ${sentence}\n`)
  process.exitCode = 1
}
