import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Environment } from '../processes/host-environment.ts'

export async function findOnPath(name: string, environment: Environment): Promise<string[]> {
  const dirs = (environment.PATH ?? '').split(delimiter).filter(isAbsolute)
  const found = await Promise.all(dirs.map((dir) => isExecutable(join(dir, name))))
  return dirs.filter((_, index) => found[index]).map((dir) => join(dir, name))
}

async function isExecutable(path: string): Promise<boolean> {
  const [file, allowed] = await Promise.allSettled([stat(path), access(path, constants.X_OK)])
  return file.status === 'fulfilled' && file.value.isFile() && allowed.status === 'fulfilled'
}
