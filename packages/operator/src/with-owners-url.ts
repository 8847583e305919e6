import type { Owner } from '@tideport/set-up/prepare-database'
import type { Environment } from './command.ts'

/** Sets `name` to the database URL of this owner, if that was given. */
export function withOwnersUrl(env: Environment, owner: Owner, name: string): Environment {
  const own = `${owner.toUpperCase()}_DATABASE_URL`
  const { [own]: url, [`${own}_FILE`]: file } = env
  return url || file ? { ...env, [name]: url, [`${name}_FILE`]: file } : env
}
