import { spawnSync } from 'node:child_process'

let setprivWorks: boolean | undefined

/**
 * The command that runs `command` so that the kernel sends it `signal` when this process dies. Needs util-linux's
 * setpriv; elsewhere the command comes back as it is, and a child that outlives us is ended by the next start.
 * The pid stays that of `command`: setpriv replaces itself by it.
 */
export function dieWithParent(command: string, args: readonly string[], signal: NodeJS.Signals) {
  setprivWorks ??= spawnSync('setpriv', ['--pdeathsig', 'keep', 'true']).status === 0
  if (!setprivWorks) return { command, args }
  return { command: 'setpriv', args: ['--pdeathsig', signal.slice('SIG'.length), '--', command, ...args] }
}
