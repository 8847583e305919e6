import { readFileSync } from 'node:fs'

export type Operation = {
  id: string
  method: string
  path: string
  /** The scope an API key needs; null: no authentication. */
  scope: string | null
}

type Description = {
  paths: Record<string, Record<string, { operationId: string; security: Record<string, string[]>[] }>>
}

const description = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')

export const committedDescription = (): unknown => JSON.parse(description)

/** Those of operators need a session of one, and no key has what they need. */
const isOperators = ({ path }: Operation) => path.startsWith('/api/operator/')

const all: readonly Operation[] = Object.entries((JSON.parse(description) as Description).paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, security }]) => {
      const scope = security.flatMap(({ apiKey }) => apiKey ?? [])[0] ?? null
      return { id: operationId, method: method.toUpperCase(), path, scope }
    }),
)

/** Every operation of the API but those of operators. */
export const operations = all.filter((operation) => !isOperators(operation))

/** Operations that are there for operators alone. */
export const operatorOperations = all.filter(isOperators)

const needAccount = operations.filter(({ scope }) => scope !== null)

/** The operations that need an account and can say in a body why they refuse. */
export const guardedOperations = needAccount.filter(({ method }) => method !== 'HEAD')

/** Those that need an account and answer by headers alone. */
export const guardedHeads = needAccount.filter(({ method }) => method === 'HEAD')

/** The path with its placeholders filled: from `ids` by name, else with an id that nobody has. */
export function fillPath({ path }: Operation, ids: Record<string, string> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? crypto.randomUUID())
}
