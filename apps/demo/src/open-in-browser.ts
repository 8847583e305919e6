import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Has the system open an address as it opens links. Whether it has a program for that. */
export async function openInBrowser(url: string): Promise<boolean> {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open'
  const child = spawn(program, [url], { detached: true, stdio: 'ignore' })
  child.unref()
  return await Promise.race([once(child, 'spawn').then(() => true), once(child, 'error').then(() => false)])
}
