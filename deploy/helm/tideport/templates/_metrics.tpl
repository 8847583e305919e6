{{- define "tideport.everyService" -}}
matchLabels:
  app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
  app.kubernetes.io/instance: {{ .Release.Name }}
matchExpressions:
  - {key: app.kubernetes.io/component, operator: In, values: {{ include "tideport.components" . | fromYaml | keys | sortAlpha | toJson }}}
{{- end }}

{{/* Values for <<name>> in files/rules: files/thresholds.yaml, then values derived from others, then the user's thresholds. */}}
{{- define "tideport.thresholds" -}}
{{- $sync := include "tideport.component" (dict "root" . "name" "sync") | fromYaml }}
{{- $own := dict "objectNames" (printf ".*%s.*" (include "tideport.fullname" .)) }}
{{- if ne $sync.autoscaling.mode "off" }}{{ $_ := set $own "syncMaxReplicas" $sync.autoscaling.max }}{{ end }}
{{- mergeOverwrite (.Files.Get "files/thresholds.yaml" | fromYaml) $own (deepCopy .Values.metrics.rules.thresholds) | toYaml }}
{{- end }}

{{/* A file of rules with its thresholds. Placeholders are <<name>>, because Prometheus itself uses {{ }}. Takes root, path. */}}
{{- define "tideport.rules" -}}
{{- $text := .root.Files.Get .path }}
{{- $thresholds := include "tideport.thresholds" .root | fromYaml }}
{{- if not $thresholds.runbookBaseUrl }}{{ $text = replace "runbook_url: <<runbookBaseUrl>>" "runbook: docs/operate/alerts.md" $text }}{{ end }}
{{- range $name, $value := $thresholds }}
{{- $text = replace (printf "<<%s>>" $name) (include "tideport.string" $value) $text }}
{{- end }}
{{- with regexFind "<<[A-Za-z0-9_]+>>" $text }}
{{- fail (printf "metrics.rules.thresholds has no %s, which %s needs" (trimAll "<>" .) $.path) }}
{{- end }}
{{- $text }}
{{- end }}
