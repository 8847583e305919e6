import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Returns whether the system has a program that opens links. */
export async function openInBrowser(url: string): Promise<boolean> {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open'
  const child = spawn(program, [url], { detached: true, stdio: 'ignore' })
  child.unref()
  return await Promise.race([once(child, 'spawn').then(() => true), once(child, 'error').then(() => false)])
}
