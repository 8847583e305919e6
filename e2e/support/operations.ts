import { readFileSync } from 'node:fs'

export type Operation = {
  id: string
  method: string
  path: string
  /** The scope that an API key needs. Null: no authentication. */
  scope: string | null
}

type Description = {
  paths: Record<string, Record<string, { operationId: string; security: Record<string, string[]>[] }>>
}

const description = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')

export const committedDescription = (): unknown => JSON.parse(description)

/** Operations for operators need an operator's session. API keys have no access. */
const isOperators = ({ path }: Operation) => path.startsWith('/api/operator/')

const all: readonly Operation[] = Object.entries((JSON.parse(description) as Description).paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, security }]) => {
      const scope = security.flatMap(({ apiKey }) => apiKey ?? [])[0] ?? null
      return { id: operationId, method: method.toUpperCase(), path, scope }
    }),
)

/** All operations of the API except operations for operators. */
export const operations = all.filter((operation) => !isOperators(operation))

/** Operations for operators only. */
export const operatorOperations = all.filter(isOperators)

const needAccount = operations.filter(({ scope }) => scope !== null)

/** Whether it refuses everyone except sessions of the installation's owner. */
export const isOfOwner = ({ path }: Operation) => /^\/api\/account\/(passkeys|recovery-code)/.test(path)

/** Operations that need an account and return errors in a body. */
export const guardedOperations = needAccount.filter(({ method }) => method !== 'HEAD')

/** Operations that need an account and return headers only. */
export const guardedHeads = needAccount.filter(({ method }) => method === 'HEAD')

/** The path with its placeholders replaced by `ids`, or by IDs that do not exist. */
export function fillPath({ path }: Operation, ids: Record<string, string> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? crypto.randomUUID())
}
