import type { Owner } from '@tideport/set-up/prepare-database'
import type { Environment } from './command.ts'

/** The environment in which `name` is the database as this owner sees it, where that was given apart. */
export function withOwnersUrl(env: Environment, owner: Owner, name: string): Environment {
  const own = `${owner.toUpperCase()}_DATABASE_URL`
  const { [own]: url, [`${own}_FILE`]: file } = env
  return url || file ? { ...env, [name]: url, [`${name}_FILE`]: file } : env
}
