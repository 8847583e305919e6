import { spawn } from 'node:child_process'

export function openBrowser(url: string): void {
  const [program, ...args] = programs[process.platform] ?? ['xdg-open']
  const child = spawn(program as string, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}

const programs: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ['open'],
  // No shell, which would interpret an ampersand.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}
