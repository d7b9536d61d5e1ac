package embedded

// Addresses are where a demo is reached and with which tokens, as one object of JSON. The tokens are throw-away ones of the
// sample; see [DemoTokens].
type Addresses struct {
	MCPURL                    string `json:"mcp_url"`
	RSURL                     string `json:"rs_url"`
	ASURL                     string `json:"as_url"`
	IntrospectionURL          string `json:"introspection_url"`
	IntrospectionClientID     string `json:"introspection_client_id"`
	IntrospectionClientSecret string `json:"introspection_client_secret"`
	PackagesURL               string `json:"packages_url"`
	ClientToken               string `json:"client_token"`
	NarrowToken               string `json:"narrow_token"`
	PackageToken              string `json:"package_token"`
	OwnerToken                string `json:"owner_token"`
	ExpiredToken              string `json:"expired_token"`
	RevokedToken              string `json:"revoked_token"`
	OwnerSecret               string `json:"owner_secret"` // approves what clients ask for
}
