// Package service is the process around a hosted server: its listener, connections, drain, admin port and log.
package service
