import { mustDocker } from './docker.ts'

const prefix = 'tideport-test-'

/** The Compose project of the tests in this process. */
export const projectName = `${prefix}${process.pid}`

/** Removes the projects of killed test processes, with their volumes. */
export async function endDeadProjects(): Promise<void> {
  const projects: { Name: string }[] = JSON.parse(await mustDocker(['compose', 'ls', '--all', '--format', 'json']))
  for (const { Name } of projects) {
    if (!Name.startsWith(prefix) || isAlive(Number(Name.slice(prefix.length)))) continue
    await mustDocker(['compose', '--project-name', Name, 'down', '--volumes', '--remove-orphans', '--timeout', '5'])
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
