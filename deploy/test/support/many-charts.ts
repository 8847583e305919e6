import { mkdir, mkdtempDisposable, readFile, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { chart, exampleFile, type Helm, target } from './helm.ts'

type Values = Record<string, unknown>

/** Values over those of an example, and what they are called. */
type Case = readonly [name: string, values: object, ...unknown[]]

const aliasOf = (index: number) => `chart${index}`

/**
 * `helm template` of a chart that holds ours once for each of `cases`: one start of Helm, which holds the values of each
 * against the schema and tells all that it refuses.
 */
async function template(helm: Helm, example: string, cases: readonly Case[]): Promise<string> {
  await using around = await mkdtempDisposable(join(tmpdir(), 'tideport-charts-'))
  const base = parse(await readFile(exampleFile(example), 'utf8')) as Values
  const { name, version } = parse(await readFile(join(chart, 'Chart.yaml'), 'utf8')) as Values
  const dependencies = cases.map((_, index) => ({ name, version, alias: aliasOf(index) }))
  await mkdir(join(around.path, 'charts'))
  await symlink(chart, join(around.path, 'charts', String(name)))
  const described = { apiVersion: 'v2', name: 'many', version: '0.0.0', dependencies }
  await writeFile(join(around.path, 'Chart.yaml'), stringify(described))
  const values = Object.fromEntries(cases.map(([, over], index) => [aliasOf(index), laidOver(base, over)]))
  return await helm.run(['template', 'acme', around.path, ...target, '-f', '-'], { input: stringify(values) })
}

/** What the schema says against each case, by its name; nothing where it refuses none. */
export async function schemaFaults(helm: Helm, example: string, cases: readonly Case[]): Promise<Map<string, string>> {
  const said = await template(helm, example, cases).then(
    () => '',
    ({ stderr }: { stderr: string }) => stderr,
  )
  const told = said.split(/^(chart\d+):\n/m)
  return new Map(
    cases.flatMap(([name], index) => {
      const at = told.indexOf(aliasOf(index))
      return at < 0 ? [] : [[name, told[at + 1] as string]]
    }),
  )
}

/** The names of the cases that were rendered to manifests. Throws when any is refused. */
export async function renderedCases(helm: Helm, example: string, cases: readonly Case[]): Promise<string[]> {
  const manifests = await template(helm, example, cases)
  return cases.flatMap(([name], index) =>
    manifests.includes(`# Source: many/charts/${aliasOf(index)}/`) ? [name] : [],
  )
}

/** As Helm does with several files of values: lists and scalars replace, maps are merged. */
function laidOver(base: Values, overlay: object): Values {
  const merged = Object.entries(overlay).map(([key, value]) => {
    const below = base[key]
    return [key, isMap(below) && isMap(value) ? laidOver(below, value) : value]
  })
  return { ...base, ...Object.fromEntries(merged) }
}

const isMap = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value)
