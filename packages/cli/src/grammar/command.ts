import type { Context } from './context.ts'

/** `--name`: camelCase in code, kebab-case on the command line. */
export interface OptionSpec {
  type: 'boolean' | 'string'
  summary: string
  short?: string
  /** Placeholder of the value in help: `FILE`. */
  value?: string
  /** Other values are rejected. */
  choices?: readonly string[]
  multiple?: true
  /** For completion: the value is a local path. */
  isPath?: true
}

/** Positional arguments, in the order of the keys. */
export interface ArgumentSpec {
  summary: string
  optional?: true
  /** Only the last argument. Needs at least one value unless it is optional. */
  many?: true
  isPath?: true
}

type OptionValue<O extends OptionSpec> = O['type'] extends 'boolean'
  ? boolean
  : O extends { multiple: true }
    ? string[]
    : O extends { choices: readonly (infer Choice)[] }
      ? Choice | undefined
      : string | undefined

type ArgumentValue<A extends ArgumentSpec> = A extends { many: true }
  ? string[]
  : A extends { optional: true }
    ? string | undefined
    : string

type Input<A, O> = { [K in keyof A]: A[K] extends ArgumentSpec ? ArgumentValue<A[K]> : never } & {
  [K in keyof O]: O[K] extends OptionSpec ? OptionValue<O[K]> : never
}

/** Options in the order of the command line. */
export interface Given {
  given: readonly (readonly [option: string, value: string | undefined])[]
}

/** A command. Parsing, help, completion, and the manual page use this definition. */
export interface Command {
  /** One or two words: `vaults create`. */
  name: string
  summary: string
  /** Details for help and the manual page. */
  description?: string
  arguments: Readonly<Record<string, ArgumentSpec>>
  options: Readonly<Record<string, OptionSpec>>
  run(input: never, context: Context): Promise<void>
}

/** Types the input of `run` by the arguments and options. */
export function command<
  const A extends Readonly<Record<string, ArgumentSpec>> = Record<never, never>,
  const O extends Readonly<Record<string, OptionSpec>> = Record<never, never>,
>(spec: {
  name: string
  summary: string
  description?: string
  arguments?: A
  options?: O
  run(input: Input<A, O> & Given, context: Context): Promise<void>
}): Command {
  return { arguments: {}, options: {}, ...spec }
}

export const globalOptions = {
  json: { type: 'boolean', summary: 'Print JSON, one value per line' },
  quiet: { type: 'boolean', short: 'q', summary: 'Print only results and errors' },
  profile: { type: 'string', value: 'NAME', summary: 'Profile to use' },
  url: { type: 'string', value: 'URL', summary: 'URL of the installation' },
  help: { type: 'boolean', short: 'h', summary: 'Show help' },
} as const satisfies Record<string, OptionSpec>

/** Converts `dryRun` to `dry-run`. */
export const flagOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
