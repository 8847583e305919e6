import { spawnSync } from 'node:child_process'

let setprivWorks: boolean | undefined

/**
 * Makes the kernel send `signal` when this process dies, by util-linux's setpriv, which keeps the pid. Without it the
 * next start ends a child that outlives us.
 */
export function dieWithParent(command: string, args: readonly string[], signal: NodeJS.Signals) {
  setprivWorks ??= spawnSync('setpriv', ['--pdeathsig', 'keep', 'true']).status === 0
  if (!setprivWorks) return { command, args }
  return { command: 'setpriv', args: ['--pdeathsig', signal.slice('SIG'.length), '--', command, ...args] }
}
