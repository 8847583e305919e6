{{- define "tideport.everyService" -}}
matchLabels:
  app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
  app.kubernetes.io/instance: {{ .Release.Name }}
matchExpressions:
  - {key: app.kubernetes.io/component, operator: In, values: {{ include "tideport.components" . | fromYaml | keys | sortAlpha | toJson }}}
{{- end }}

{{/* A file of rules with its thresholds: <<name>> is that of the values, since {{ }} is Prometheus' own. Takes root, path. */}}
{{- define "tideport.rules" -}}
{{- $text := .root.Files.Get .path }}
{{- range $name, $value := .root.Values.metrics.rules.thresholds }}
{{- $text = replace (printf "<<%s>>" $name) (include "tideport.string" $value) $text }}
{{- end }}
{{- with regexFind "<<[A-Za-z0-9_]+>>" $text }}
{{- fail (printf "metrics.rules.thresholds has no %s, which %s needs" (trimAll "<>" .) $.path) }}
{{- end }}
{{- $text }}
{{- end }}
