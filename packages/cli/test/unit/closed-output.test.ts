import { spawn } from 'node:child_process'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { nodeEnvironment } from '@tideport/testing/node-environment'
import { describe, expect, it } from 'vitest'

const program = join(import.meta.dirname, '../../src/main.ts')
/** Output before a command is found, output of a command's help, and an error. */
const lines = [['--version'], ['vaults', '--help'], ['no-such']]

/** Returns the exit code and stderr. The reader closes before anything is written. */
async function type(args: string[], stdout: 'pipe' | number, stderr: 'pipe' | number = 'pipe') {
  const child = spawn(process.execPath, [program, ...args], {
    env: nodeEnvironment(),
    stdio: ['ignore', stdout, stderr],
  })
  child.stdout?.destroy()
  const told = child.stderr ? text(child.stderr) : ''
  const code = await new Promise((resolve) => child.once('close', resolve))
  return { code, told: await told }
}

describe('an unwritable output', () => {
  it.each(lines)('`tideport %s` exits silently after its reader closes', async (...args) => {
    const isFault = args[0] === 'no-such'
    expect(await type(args, 'pipe')).toEqual({
      code: isFault ? 1 : 2,
      told: isFault ? expect.stringMatching(/^tideport: Unknown command/) : '',
    })
  })

  it.skipIf(process.platform !== 'linux').each(lines)(
    '`tideport %s` fails with an error on a full disk',
    async (...args) => {
      // biome-ignore format: one line
      const [full, isFault] = [openSync('/dev/full', 'w'), args[0] === 'no-such']
      const ended = isFault ? await type(args, 'pipe', full) : await type(args, full)
      expect(ended).toEqual({ code: 1, told: isFault ? '' : expect.stringMatching(/^tideport: ENOSPC: .*\n$/) })
    },
  )
})
