{{/* Names and labels. A release that is called trueward has the names of deploy/kubernetes. */}}

{{- define "trueward.name" -}}
{{- if contains "trueward" .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-trueward" .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "trueward.selector" -}}
app.kubernetes.io/name: trueward
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "trueward.sandbox.selector" -}}
app.kubernetes.io/name: trueward-sandbox
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "trueward.common" -}}
app.kubernetes.io/part-of: trueward
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* The user of the image. */}}
{{- define "trueward.user" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
{{- end -}}

{{- define "trueward.container.rights" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* A start may migrate the schema of a large ledger. Liveness is patient: an answer that is late under load is no reason
to kill what is being scored. */}}
{{- define "trueward.probes" -}}
startupProbe:
  httpGet:
    path: /health/live
    port: http
  periodSeconds: 5
  failureThreshold: {{ . }}
livenessProbe:
  httpGet:
    path: /health/live
    port: http
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet:
    path: /health/ready
    port: http
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 2
{{- end -}}
