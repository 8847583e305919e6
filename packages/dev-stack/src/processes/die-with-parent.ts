import { spawnSync } from 'node:child_process'

let setprivWorks: boolean | undefined

/**
 * Makes the kernel send `signal` to the child when this process dies. Uses setpriv of util-linux, which keeps the pid.
 * Without setpriv, the next start stops a child that outlives this process.
 */
export function dieWithParent(command: string, args: readonly string[], signal: NodeJS.Signals) {
  setprivWorks ??= spawnSync('setpriv', ['--pdeathsig', 'keep', 'true']).status === 0
  if (!setprivWorks) return { command, args }
  return { command: 'setpriv', args: ['--pdeathsig', signal.slice('SIG'.length), '--', command, ...args] }
}
