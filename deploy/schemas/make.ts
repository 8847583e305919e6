/**
 * `kubectl get --raw /openapi/v2 | node deploy/schemas/make.ts`: strict schemas of the objects that the chart renders, from an
 * API server that has the CRDs of Gateway API, KEDA and Prometheus' operator. They say which server they are from.
 */
import { writeFileSync } from 'node:fs'
import { json } from 'node:stream/consumers'

const kinds = [
  'apps/v1/Deployment',
  'apps/v1/StatefulSet',
  'autoscaling/v2/HorizontalPodAutoscaler',
  'batch/v1/Job',
  'gateway.networking.k8s.io/v1/HTTPRoute',
  'keda.sh/v1alpha1/ScaledObject',
  'keda.sh/v1alpha1/TriggerAuthentication',
  'monitoring.coreos.com/v1/PodMonitor',
  'monitoring.coreos.com/v1/PrometheusRule',
  'monitoring.coreos.com/v1/ServiceMonitor',
  'networking.k8s.io/v1/Ingress',
  'networking.k8s.io/v1/NetworkPolicy',
  'policy/v1/PodDisruptionBudget',
  '/v1/ConfigMap',
  '/v1/PersistentVolumeClaim',
  '/v1/Pod',
  '/v1/Secret',
  '/v1/Service',
  '/v1/ServiceAccount',
]

type Schema = { [key: string]: unknown; properties?: Record<string, Schema> }
type OpenApi = { info: { version: string }; definitions: Record<string, Schema> }
type GroupVersionKind = { group: string; version: string; kind: string }

const server = (await json(process.stdin)) as OpenApi
const kept: Record<string, Schema> = {}

const roots = kinds.map((name) => {
  const [group, version, kind] = name.split('/') as [string, string, string]
  const found = Object.entries(server.definitions).find(([, { 'x-kubernetes-group-version-kind': names }]) =>
    ((names ?? []) as GroupVersionKind[]).some((n) => n.group === group && n.version === version && n.kind === kind),
  )
  if (!found) throw new Error(`The server has no schema ${name}. Install its CRD.`)
  keep(found[0])
  const root = kept[found[0]] as Schema
  root.required = [...new Set(['apiVersion', 'kind', ...((root.required ?? []) as string[])])]
  Object.assign(root.properties as object, {
    apiVersion: { const: [group, version].filter(Boolean).join('/') },
    kind: { const: kind },
  })
  return { $ref: `#/definitions/${found[0]}`, kind }
})

const schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $comment: `Kubernetes ${server.info.version}`,
  type: 'object',
  required: ['kind'],
  properties: { kind: { enum: [...new Set(roots.map(({ kind }) => kind))] } },
  allOf: roots.map(({ $ref, kind }) => ({
    if: { properties: { kind: { const: kind } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { $ref },
  })),
  definitions: kept,
}
writeFileSync(new URL('kubernetes.json', import.meta.url), `${JSON.stringify(schema)}\n`)

function keep(name: string): void {
  if (kept[name]) return
  kept[name] = {}
  kept[name] = strict(server.definitions[name] as Schema) as Schema
}

/** Removes descriptions, closes objects that list properties, and accepts both types for int-or-string values. */
function strict(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(strict)
  if (typeof node !== 'object' || node === null) return node
  const { description: _prose, default: _default, ...schema } = node as Schema
  if (typeof schema.$ref === 'string') {
    keep(schema.$ref.slice('#/definitions/'.length))
    return { $ref: schema.$ref }
  }
  if (schema['x-kubernetes-int-or-string'] || schema.format === 'int-or-string') return { type: ['integer', 'string'] }
  const isClosed = schema.properties && !schema.additionalProperties && !schema['x-kubernetes-preserve-unknown-fields']
  const entries = Object.entries(schema)
    .filter(([key]) => !key.startsWith('x-') && key !== 'format')
    .map(([key, value]) => [key, key === 'properties' ? mapValues(value as object) : strict(value)])
  return { ...Object.fromEntries(entries), ...(isClosed ? { additionalProperties: false } : {}) }
}

function mapValues(properties: object): object {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, strict(value)]))
}
