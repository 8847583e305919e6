import { z } from 'zod'

type CamelKey<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelKey<Tail>>}`
  : Lowercase<Name>

/** The settings of a schema with camelCased keys: `HOT_RETENTION_SECONDS` → `hotRetentionSeconds`. */
export type Config<Shape extends z.ZodRawShape> = {
  [Name in keyof Shape & string as CamelKey<Name>]: z.output<Shape[Name]>
}

/** All faults of a configuration, one per line. Holds no value of any setting. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(faults.join('\n'))
    this.faults = faults
  }
}

/**
 * Reads the settings of one process from an environment. An empty string counts as unset.
 * Throws `ConfigError` with every fault, not only the first.
 */
export function loadConfig<Shape extends z.ZodRawShape>(
  settings: z.ZodObject<Shape>,
  env: Readonly<Record<string, string | undefined>>,
): Config<Shape> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
  const result = settings.safeParse(given)
  if (!result.success) throw new ConfigError(result.error.issues.map((issue) => describeFault(settings, given, issue)))
  const entries = Object.entries(result.data as Record<string, unknown>)
  return Object.fromEntries(entries.map(([name, value]) => [camelCase(name), value])) as Config<Shape>
}

/** Whether a setting carries the secret mark, also below `.optional()` and `.default()`. */
export function isSecret(schema: z.core.$ZodType): boolean {
  if (z.globalRegistry.get(schema)?.secret === true) return true
  const inner = (schema._zod.def as { innerType?: z.core.$ZodType }).innerType
  return inner !== undefined && isSecret(inner)
}

function describeFault(settings: z.ZodObject, given: Record<string, unknown>, issue: z.core.$ZodIssue): string {
  const name = String(issue.path[0] ?? '')
  if (name === '') return issue.message
  const schema = settings.shape[name]
  if (schema === undefined) return `${name}: ${issue.message}`
  const description = z.globalRegistry.get(schema)?.description
  return `${name}: ${sentence(schema, name in given, issue)}${description ? ` (${description})` : ''}`
}

function sentence(schema: z.core.$ZodType, isGiven: boolean, issue: z.core.$ZodIssue): string {
  if (!isGiven) return issue.code === 'custom' ? issue.message : 'is required'
  // A message of zod's may quote what it read; for a secret only the fact is told.
  return isSecret(schema) ? 'is not valid' : issue.message
}

function camelCase(name: string): string {
  return name.toLowerCase().replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
