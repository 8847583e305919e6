{{/* Unknown names of settings, thresholds, networks, and merged objects. */}}
{{- define "tideport.faults.settings" -}}
{{- $readers := .Files.Get "files/settings.yaml" | fromYaml }}
{{- $names := list }}
{{- range include "tideport.networks" . | fromJsonArray }}{{ $names = append $names .name }}{{ end }}
{{- range $key, $_ := .Values.settings }}
{{- if not (hasKey $readers $key) }}
settings.{{ $key }}: no service has this setting, or another value of the chart sets it. See docs/reference/settings.md.
{{- end }}
{{- end }}
{{- include "tideport.faults.servedNetworks" (dict "path" "settings" "settings" .Values.settings "names" $names) }}
{{- $answers := dict }}
{{- range $name, $key := dict "gateway" "KEY_ANSWER_SECONDS" "auth" "REVOCATION_WAIT_SECONDS" }}
{{- $own := (include "tideport.component" (dict "root" $ "name" $name) | fromYaml).settings | default dict }}
{{- $value := ternary (get $own $key) (ternary (get $.Values.settings $key) 1 (hasKey $.Values.settings $key)) (hasKey $own $key) }}
{{- $_ := set $answers $key (float64 $value) }}
{{- end }}
{{- if gt $answers.KEY_ANSWER_SECONDS $answers.REVOCATION_WAIT_SECONDS }}
settings.KEY_ANSWER_SECONDS: {{ $answers.KEY_ANSWER_SECONDS }} is above REVOCATION_WAIT_SECONDS, which is {{ $answers.REVOCATION_WAIT_SECONDS }}. Lower it, or raise REVOCATION_WAIT_SECONDS.
{{- end }}
{{- range $name, $spec := include "tideport.components" . | fromYaml }}
{{- $settings := (include "tideport.component" (dict "root" $ "name" $name) | fromYaml).settings }}
{{- range $key, $_ := $settings }}
{{- if not (has $name (default (list) (get $readers $key))) }}
{{ $name }}.settings.{{ $key }}: {{ $name }} has no such setting, or another value of the chart sets it. See docs/reference/settings.md.
{{- end }}
{{- end }}
{{- include "tideport.faults.servedNetworks" (dict "path" (printf "%s.settings" $name) "settings" $settings "names" $names) }}
{{- end }}
{{- $thresholds := .Files.Get "files/thresholds.yaml" | fromYaml }}
{{- range $key, $_ := .Values.metrics.rules.thresholds }}
{{- if not (hasKey $thresholds $key) }}
metrics.rules.thresholds.{{ $key }}: no alert has this threshold. The thresholds are {{ keys $thresholds | sortAlpha | join ", " }}.
{{- end }}
{{- end }}
{{- end }}

{{/* Takes path, settings, and names (of all networks). */}}
{{- define "tideport.faults.servedNetworks" -}}
{{- range compact (splitList "," (nospace (include "tideport.string" (default "" .settings.SYNC_NETWORKS)))) }}
{{- if not (has . $.names) }}
{{ $.path }}.SYNC_NETWORKS: the network {{ . }} does not exist. The networks are {{ join ", " $.names }}.
{{- end }}
{{- end }}
{{- end }}

{{- define "tideport.faults.merge" -}}
{{- if .Values.merge }}
{{- $keys := list }}
{{- range include "tideport.objectNames" . | fromYamlArray }}
{{- range splitList "\n---\n" (printf "\n%s" (include (printf "tideport.objects.%s" .) $)) }}
{{- if trim . }}{{ $keys = append $keys (include "tideport.objectKey" (dict "root" $ "object" (fromYaml .))) }}{{ end }}
{{- end }}
{{- end }}
{{- range $key, $_ := .Values.merge }}
{{- if not (has $key $keys) }}
merge: the object {{ $key }} does not exist. The objects are {{ join ", " (sortAlpha $keys) }}.
{{- end }}
{{- end }}
{{- end }}
{{- end }}
