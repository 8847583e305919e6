{{/* The names of all templates that render objects. */}}
{{- define "tideport.objectNames" -}}
[dashboards, deployments, dev-nats, dev-postgres, dev-s3, hpa, httproute, ingress, migrate-job, networkpolicy, pdb, persistentvolumeclaim, podmonitor, prometheusrule, provision-job, scaledobject, serviceaccount, servicemonitor, services, set-up-job, smoke, toolbox, triggerauthentication]
{{- end }}

{{/* Renders every object of the chart and applies `merge` to it. Takes root and name (of tideport.objectNames). */}}
{{- define "tideport.objects" -}}
{{- $root := .root }}
{{- $text := include (printf "tideport.objects.%s" .name) $root }}
{{- if not $root.Values.merge }}{{ $text }}{{ else }}
{{- range $document := splitList "\n---\n" (printf "\n%s" $text) }}
{{- if trim $document }}
{{- $object := fromYaml $document }}
{{- $patch := get $root.Values.merge (include "tideport.objectKey" (dict "root" $root "object" $object)) }}
---
{{ if $patch }}{{ (include "tideport.merged" (dict "base" $object "patch" $patch) | fromJson).value | toYaml }}{{ else }}{{ trim $document }}{{ end }}
{{ end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Deployment/gateway, or only the kind if the name is that of the release. For a Job, without the checksum in its name. */}}
{{- define "tideport.objectKey" -}}
{{- $own := trimPrefix (include "tideport.fullname" .root) .object.metadata.name | trimPrefix "-" }}
{{- if eq .object.kind "Job" }}{{ $own = regexReplaceAll "-[0-9a-f]{8}$" $own "" }}{{ end }}
{{- .object.kind }}{{ with $own }}/{{ . }}{{ end }}
{{- end }}

{{/*
As JSON, below `value`: merges maps by key and lists of named items by name, replaces other values, and removes nulls. Takes base and patch.
*/}}
{{- define "tideport.merged" -}}
{{- $result := .patch }}
{{- if and (kindIs "map" .base) (kindIs "map" .patch) }}
{{- $result = deepCopy .base }}
{{- range $key, $value := .patch }}
{{- if kindIs "invalid" $value }}{{ $_ := unset $result $key }}
{{- else }}{{ $_ := set $result $key (include "tideport.merged" (dict "base" (get $result $key) "patch" $value) | fromJson).value }}{{ end }}
{{- end }}
{{- else if and (include "tideport.areNamed" .base) (include "tideport.areNamed" .patch) }}
{{- $patches := dict }}{{- range .patch }}{{ $_ := set $patches .name . }}{{ end }}
{{- $result = list }}
{{- range .base }}
{{- if not (hasKey $patches .name) }}{{ $result = append $result . }}
{{- else }}{{ $result = append $result (include "tideport.merged" (dict "base" . "patch" (get $patches .name)) | fromJson).value }}{{ $_ := unset $patches .name }}{{ end }}
{{- end }}
{{- range .patch }}{{ if hasKey $patches .name }}{{ $result = append $result . }}{{ end }}{{ end }}
{{- end }}
{{- toJson (dict "value" $result) }}
{{- end }}

{{/* Whether a value is a list of maps with names. */}}
{{- define "tideport.areNamed" -}}
{{- $named := and (kindIs "slice" .) (not (empty .)) }}
{{- if $named }}{{ range . }}{{ if not (and (kindIs "map" .) (hasKey . "name")) }}{{ $named = false }}{{ end }}{{ end }}{{ end }}
{{- ternary "true" "" $named }}
{{- end }}
