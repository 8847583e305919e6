import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export interface MetricDefinition {
  name: string
  type: 'counter' | 'gauge' | 'histogram'
  labels: string[]
  help: string
}

const TEXT = String.raw`'(?:[^'\\\n]|\\.)*'|\`[^\`]*\`|"[^"\n]*"`
const NAME = String.raw`['\`](?:tideport|http|messaging)_[^'\`]*['\`]`
const VALUE = `${TEXT}|[A-Za-z]+`

/** `counter({ name, help, labelNames })`, and the same for gauges and histograms, also with `new`. */
const OBJECT = new RegExp(
  String.raw`\b(counter|gauge|histogram)(?:<[^>]*>)?\(\{\s*name: (${NAME}),\s*help:\s*(${VALUE}),(?:\s*labelNames: \[([^\]]*)\])?`,
  'gi',
)
/** `show(name, help, read)`, and `showEach(name, label, help, read)`. */
const SHOWN = new RegExp(String.raw`\b(show\w*)\(\s*(${NAME}),\s*(${VALUE}),(?:\s*(${VALUE}),)?`, 'g')
/** The start of a metric's definition, in any form. */
const BEGIN = new RegExp(String.raw`(?:\bname: |\(\s*)${NAME}`, 'g')

/** Values for `${…}` in names and help texts. A metric is listed once for each value in its name. */
type Placeholders = Record<string, readonly string[]>

/** Every metric that packages and services define in their sources. Throws if a definition has an unknown form. */
export function metricDefinitions(repository: URL, placeholders: Placeholders): MetricDefinition[] {
  const files = globSync('{packages,services}/*/src/**/*.ts', { cwd: fileURLToPath(repository) }).toSorted()
  return files
    .flatMap((file) => {
      const text = readFileSync(new URL(file, repository), 'utf8')
      if (!/metrics/i.test(text)) return []
      const found = definitionsIn(text)
      const begun = text.match(BEGIN)?.length ?? 0
      if (found.length !== begun)
        throw new Error(`${file} defines ${begun} metrics, of which ${found.length} are readable`)
      return found.flatMap((definition) => expand(definition, placeholders))
    })
    .toSorted((one, other) => one.name.localeCompare(other.name))
}

function definitionsIn(text: string): MetricDefinition[] {
  const objects = [...text.matchAll(OBJECT)].map(([, type = '', name = '', help = '', labels = '']) => ({
    name: textOf(name, text),
    type: type.toLowerCase() as MetricDefinition['type'],
    labels: labels.match(/\w+/g) ?? [],
    help: textOf(help, text),
  }))
  const shown = [...text.matchAll(SHOWN)].map(([, call = '', name = '', first = '', second = '']) => {
    const hasLabel = call.endsWith('Each')
    return {
      name: textOf(name, text),
      type: 'gauge' as const,
      labels: hasLabel ? [textOf(first, text)] : [],
      help: textOf(hasLabel ? second : first, text),
    }
  })
  return [...objects, ...shown]
}

/** The text of a literal, or of the constant in the same file that an identifier names. */
function textOf(source: string, text: string): string {
  if (/^['"`]/.test(source)) return source.slice(1, -1).replaceAll(/\\(.)/g, '$1')
  const [, literal] = new RegExp(String.raw`\b${source} =\s*(${TEXT})`).exec(text) ?? []
  if (literal === undefined) throw new Error(`No text is assigned to ${source}`)
  return textOf(literal, text)
}

function expand(definition: MetricDefinition, placeholders: Placeholders): MetricDefinition[] {
  const [placeholder, expression = ''] = /\$\{([^}]+)\}/.exec(definition.name + definition.help) ?? []
  if (placeholder === undefined) return [definition]
  const values = placeholders[expression]
  if (values === undefined) throw new Error(`${definition.name}: no value is known for ${placeholder}`)
  return values.flatMap((value) =>
    expand(
      {
        ...definition,
        name: definition.name.replaceAll(placeholder, value),
        help: definition.help.replaceAll(placeholder, value),
      },
      placeholders,
    ),
  )
}
